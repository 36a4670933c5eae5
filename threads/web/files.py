"""A thread as a file: in Markdown to be read, in JSON to be kept; and what one event says, to be copied."""

import json
from collections.abc import Iterable, Iterator
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from artifacts.core.envelope import Envelope
from artifacts.core.rejections import NotFound
from artifacts.models import Artifact, Event
from artifacts.web.access import SignedIn, private
from artifacts.web.files import CONTENT_TYPES, as_markdown
from threads.core import events
from threads.models import Thread
from threads.reading import thread_for
from threads.web.things import Thing, gathered
from threads.web.things.tools import verbatim


@require_GET
@private
def whole_thread(request: SignedIn, thread_id: UUID, ending: str) -> HttpResponse:
    """Everything that was said and done in a thread, with its artifacts as they are now, to download."""
    found = thread_for(request.user, str(thread_id))
    if ending not in CONTENT_TYPES:
        raise NotFound(f"A file that ends in .{ending[:10]}")
    log = [row.envelope() for row in Event.objects.filter(thread=found.pk).order_by("seq").iterator()]
    text = _as_json(found, log) if ending == "json" else _as_markdown(found, log)
    name = f"{slugify(str(found))[:80] or 'thread'}.{ending}"
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return HttpResponse(
        text, content_type=CONTENT_TYPES[ending], headers={"Content-Disposition": disposition}
    )


@require_GET
@private
def words_of_event(request: SignedIn, thread_id: UUID, seq: int) -> HttpResponse:
    """What one event says, word for word, in Markdown if it was written so."""
    found = thread_for(request.user, str(thread_id))
    data = get_object_or_404(Event, thread=found.pk, seq=seq).data
    said = next((data[key] for key in ("content", "text", "question", "arguments") if data.get(key)), "")
    return HttpResponse(verbatim(said), content_type=CONTENT_TYPES["md"])


def artifacts_of(thread: Thread) -> QuerySet[Artifact]:
    """What a thread follows, and what happened in it."""
    happened = Event.objects.filter(thread=thread.pk, artifact__isnull=False).values("artifact")
    concerned = Q(pk__in=thread.focus.values("artifact")) | Q(pk__in=happened)
    return Artifact.objects.filter(concerned, workspace=thread.workspace_id).order_by("created_seq")


def _as_json(thread: Thread, log: list[Envelope]) -> str:
    told = {
        "thread": {
            "id": str(thread.pk),
            "title": thread.title,
            "mode": thread.mode,
            "workspace": {"id": str(thread.workspace_id), "name": thread.workspace.name},
            "created_at": thread.created_at.isoformat(),
            "archived_at": thread.archived_at.isoformat() if thread.archived_at else None,
        },
        "events": [_event(event) for event in log],
        "artifacts": [_artifact(row) for row in artifacts_of(thread)],
    }
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def _event(event: Envelope) -> dict[str, Any]:
    actor = event.actor
    return {
        "seq": event.seq,
        "type": event.type,
        "at": event.at.isoformat(),
        "actor": {"kind": actor.kind, "id": actor.id, "name": actor.name},
        "about": event.about,
        "artifact": event.artifact,
        "data": event.data,
    }


def _artifact(row: Artifact) -> dict[str, Any]:
    return {
        "id": str(row.pk),
        "kind": row.kind,
        "title": row.title,
        "version": row.version,
        "archived_at": row.archived_at.isoformat() if row.archived_at else None,
        "data": row.data,
    }


def _as_markdown(thread: Thread, log: list[Envelope]) -> str:
    said = [words for thing in gathered(log).values() if (words := "\n\n".join(_paragraphs(thing)))]
    documents = [_document(row) for row in artifacts_of(thread)]
    return "\n\n".join([f"# {thread}", *said, *documents]) + "\n"


def _document(row: Artifact) -> str:
    return f"---\n\n{as_markdown(row.kind, row.title, row.data).strip()}"


def _paragraphs(thing: Thing) -> Iterable[str]:
    """A thing of the transcript; none for what is only a step."""
    event = thing.event
    heading = f"## {event.actor.name}, {event.at:%Y-%m-%d %H:%M} UTC"
    match event.type:
        case events.MESSAGE_POSTED if events.MESSAGE_WITHDRAWN not in thing.about:
            yield from (heading, event.data["content"])
        case events.NOTICE_POSTED:
            yield from (heading, "*To people only:*", event.data["content"])
        case events.AGENT_RESPONDED if event.data.get("text"):
            yield from (heading, event.data["text"])
        case events.TOOL_CALLED:
            yield from _call(thing)
        case events.QUESTION_ASKED | events.APPROVAL_ASKED:
            yield heading
            yield event.data.get("question") or f"Asks leave for `{event.data['tool']}`."
            yield from _verdict(thing.about.get(events.REQUEST_ANSWERED))
        case events.RUN_ENDED if event.data["outcome"] != "completed":
            yield f"*The run {event.data['outcome']}. {event.data.get('reason') or ''}*".replace(" *", "*")


def _call(thing: Thing) -> Iterator[str]:
    returned = thing.about.get(events.TOOL_RETURNED)
    outcome = returned.data["outcome"] if returned else "running"
    yield f"*Tool `{thing.event.data['tool']}`: {outcome}.*"
    yield f"```json\n{json.dumps(thing.event.data['arguments'], ensure_ascii=False, indent=2)}\n```"


def _verdict(answered: Envelope | None) -> Iterator[str]:
    if answered is not None:
        said = answered.data.get("answer") or answered.data.get("reason") or ""
        yield f"**{answered.actor.name} {answered.data['decision']}{':** ' + str(said) if said else '.**'}"
