"""What happened in a run, in order: from the log, with the requests to the model between its events."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.safestring import SafeString

from artifacts.admin.verbatim import verbatim
from artifacts.models import Event
from threads.core import events
from threads.models import ModelRequest, Run

MOST = 200
"""Events on one page of a timeline."""

WORDS = {
    events.RUN_STARTED: "began",
    events.AGENT_RESPONDED: "said",
    events.TOOL_CALLED: "called",
    events.TOOL_RETURNED: "result of",
    events.CHANGES_TOLD: "was told of changes",
    events.MESSAGE_DELIVERED: "was given a message",
    events.ARTIFACT_FOLLOWED: "follows an artifact",
    events.ARTIFACT_DROPPED: "follows an artifact no longer",
    events.QUESTION_ASKED: "asked",
    events.APPROVAL_ASKED: "asked leave for",
    events.RUN_PAUSED: "paused",
    events.REQUEST_ANSWERED: "decided",
    events.STOP_REQUESTED: "asked to stop",
    events.RETRY_REQUESTED: "asked to try again",
    events.RUN_ENDED: "ended",
    events.DRAFT_SETTLED: "settled a draft",
}
TRIGGERS = {
    "message": "on a message",
    "resume": "again, after the answers",
    "continue": "another attempt, after its process ended",
    "retry": "to try again",
}
BAD = ("failed", "retried", "denied", "interrupted")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happened. `details` fold; `is_bad` is what went wrong."""

    at: datetime
    by: str
    did: str
    gist: str = ""
    details: tuple[tuple[str, SafeString], ...] = ()
    seq: int = 0
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Timeline:
    """Steps in order; `more` is the `seq` after which there are others."""

    steps: list[Step]
    more: int | None


def timeline(run: Run, after: int = 0) -> Timeline:
    """The steps of a run after a `seq`, so many as a page has."""
    rows = Event.objects.filter(
        thread=run.thread_id, seq__gte=max(run.seq, after + 1), data__run=str(run.pk), type__in=WORDS
    )
    if (end := _end(run)) is not None:
        rows = rows.filter(seq__lte=end)
    found = list(rows.order_by("seq")[: MOST + 1])
    shown = found[:MOST]
    said = _messages(run, shown)
    asked = iter(_requests(run, shown, is_first=after == 0, is_last=len(found) <= MOST))
    return Timeline(list(_merged(shown, said, asked)), shown[-1].seq if len(found) > MOST else None)


def _end(run: Run) -> int | None:
    """Where a run that has ended did, so that its thread's later events are not looked through."""
    if not run.ended:
        return None
    ended = Event.objects.filter(workspace_id=run.thread.workspace_id, about=run.seq, type=events.RUN_ENDED)
    return ended.values_list("seq", flat=True).last()


def _messages(run: Run, shown: list[Event]) -> dict[int, Event]:
    """The messages that the agent was given."""
    given = [event.about for event in shown if event.type == events.MESSAGE_DELIVERED and event.about]
    rows = Event.objects.filter(workspace_id=run.thread.workspace_id, seq__in=given)
    return {row.seq: row for row in rows}


def _requests(run: Run, shown: list[Event], *, is_first: bool, is_last: bool) -> list[ModelRequest]:
    rows = run.model_requests.order_by("at", "id")
    if not shown:
        return list(rows[:MOST]) if is_first else []
    if not is_first:
        rows = rows.filter(at__gte=shown[0].at)
    if not is_last:
        rows = rows.filter(at__lt=shown[-1].at)
    return list(rows[:MOST])


def _merged(shown: list[Event], said: dict[int, Event], asked: Iterator[ModelRequest]) -> Iterator[Step]:
    request = next(asked, None)
    for event in shown:
        while request is not None and request.at <= event.at and event.type != events.RUN_STARTED:
            yield _request(request)
            request = next(asked, None)
        yield _step(event, said)
    while request is not None:
        yield _request(request)
        request = next(asked, None)


def _request(row: ModelRequest) -> Step:
    cached = f", {row.cached_tokens:,} of them cached" if row.cached_tokens else ""
    calls = f", {row.tool_calls} tool call{'' if row.tool_calls == 1 else 's'}" if row.tool_calls else ""
    gist = f"{row.input_tokens:,} tokens in{cached}, {row.output_tokens:,} out{calls}"
    return Step(row.at, row.model or "model", "answered a request", gist)


def _step(event: Event, said: dict[int, Event]) -> Step:
    gist, details = _told(event, said)
    outcome = str(event.data.get("outcome", ""))
    shown = tuple((name, verbatim(value)) for name, value in details if value not in (None, "", {}, []))
    return Step(event.at, event.actor_name, WORDS[event.type], gist, shown, event.seq, outcome in BAD)


def _told(event: Event, said: dict[int, Event]) -> tuple[str, list[tuple[str, Any]]]:
    """In a few words what it was, and what folds."""
    if event.type == events.MESSAGE_DELIVERED:
        message = said.get(event.about or 0)
        return (f"of {message.actor_name}", [("message", message.data["content"])]) if message else ("", [])
    gist, names = TOLD.get(event.type, (lambda data: "", ()))
    return gist(event.data), [(name, event.data.get(name)) for name in names]


def _began(data: dict[str, Any]) -> str:
    who = f", for {data['for']}" if data.get("for") else ""
    return f"{TRIGGERS.get(data['trigger'], data['trigger'])}{who}"


def _ended(data: dict[str, Any]) -> str:
    return f"{data['outcome']}{', ' if data['code'] else ''}{data['code']}"


def _cut(text: str, width: int = 120) -> str:
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else f"{line[: width - 1]}…"


TOLD: dict[str, tuple[Callable[[dict[str, Any]], str], tuple[str, ...]]] = {
    events.RUN_STARTED: (_began, ("model",)),
    events.AGENT_RESPONDED: (lambda data: _cut(data["text"]), ("text", "thinking")),
    events.TOOL_CALLED: (lambda data: data["tool"], ("arguments",)),
    events.APPROVAL_ASKED: (lambda data: data["tool"], ("arguments",)),
    events.TOOL_RETURNED: (lambda data: f"a call: {data['outcome']}", ("content",)),
    events.CHANGES_TOLD: (lambda data: f"({len(data['notes'])})", ("notes",)),
    events.QUESTION_ASKED: (lambda data: _cut(data["question"]), ("choices",)),
    events.REQUEST_ANSWERED: (lambda data: data["decision"], ("answer", "reason", "arguments")),
    events.RUN_PAUSED: (lambda data: "until it is answered", ("usage",)),
    events.RUN_ENDED: (_ended, ("reason", "usage")),
}
"""For an event, its few words, and the names of the data that fold."""
