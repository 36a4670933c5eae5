"""A turn ends: with its run, with a pause, or by handing the run over. Each is one transaction with the last save."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from artifacts.core.envelope import id_in
from artifacts.log import Entry
from artifacts.models import Artifact
from artifacts.statements import updating
from threads.core import decisions, events, status
from threads.models import Request, Run, Thread
from threads.turns.closing import close, letting_go, record_end
from threads.turns.delivering import undelivered
from threads.turns.drafting import Snapshot, keep
from threads.turns.saving import Turn, Write, apply, held_run
from threads.turns.writing import write_as_turn


@dataclass(frozen=True, slots=True)
class Asked:
    """What a pausing run asks: a question or leave to run a tool."""

    kind: str
    tool: str
    call: str
    arguments: dict[str, Any]
    question: str = ""
    description: str = ""
    schema: dict[str, Any] = field(default_factory=dict)
    choices: Sequence[str] = ()
    permission: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the turn ended: a run's outcome, or `paused` with what was asked, and what was being written as it ended."""

    outcome: str
    code: str = ""
    reason: str = ""
    asked: Sequence[Asked] = ()
    drafts: Sequence[Snapshot] = ()


def end(turn: Turn, writes: Iterable[Write], ending: Ending) -> bool:
    """Record the turn's end and release its claim; return whether the thread has more to do. Raises `ClaimLost`.

    A pause or failure that comes after a stop becomes stopped; a completion stands.
    """

    def decide(entry: Entry, thread: Thread) -> bool:
        key = f"{turn.token}:end"
        if turn.is_tried_again(key) and entry.find(key) is not None:
            return _more(entry, thread)
        run = held_run(thread, turn)
        for write in writes:
            apply(entry, thread, run, turn, write)
        for snapshot in ending.drafts:
            keep(entry, turn, run, snapshot)
        _end(entry, thread, run, ending)
        entry.events[-1].key = key
        return _more(entry, thread)

    return write_as_turn(turn.claimed.thread, decide)


def hand_over(turn: Turn, writes: Iterable[Write]) -> None:
    """Save and let go of a run that goes on elsewhere, or at the next start. Raises `ClaimLost`."""

    def decide(entry: Entry, thread: Thread) -> None:
        run = held_run(thread, turn)
        for write in writes:
            apply(entry, thread, run, turn, write)
        run.attempt = max(0, run.attempt - 1)
        entry.store(updating(run, "attempt", "usage"), letting_go(thread))

    write_as_turn(turn.claimed.thread, decide)


def _end(entry: Entry, thread: Thread, run: Run, ending: Ending) -> None:
    if ending.outcome == status.COMPLETED:
        record_end(entry, thread, run, status.COMPLETED)
    elif run.stop_seq is not None or ending.outcome == status.STOPPED:
        close(entry, thread, run, status.STOPPED)
    elif ending.outcome == status.FAILED:
        close(entry, thread, run, status.FAILED, ending.code, ending.reason)
    else:
        _pause(entry, thread, run, ending)


def _pause(entry: Entry, thread: Thread, run: Run, ending: Ending) -> None:
    requests = [_ask(entry, run, asked) for asked in ending.asked]
    data = {"run": str(run.pk), "requests": requests, "usage": run.usage}
    run.paused_seq = entry.append(events.RUN_PAUSED, data, thread=str(thread.pk), about=run.seq)
    run.status = status.PAUSED
    entry.store(updating(run, "status", "paused_seq", "usage", "attempt"), letting_go(thread))


def _ask(entry: Entry, run: Run, asked: Asked) -> str:
    is_question = asked.kind == decisions.QUESTION
    request = Request(
        id=uuid.uuid4(),
        run=run,
        thread=run.thread,
        kind=asked.kind,
        tool=asked.tool,
        call=asked.call,
        arguments=asked.arguments,
        question=asked.question,
        description=asked.description,
        schema=asked.schema,
        choices=list(asked.choices),
        permission=asked.permission[:200],
        artifacts=[] if is_question else named_artifacts(entry, asked.arguments),
        asked_at=entry.at,
    )
    shared = {"run": str(run.pk), "request": str(request.pk), "call": asked.call, "tool": asked.tool}
    if is_question:
        data = {**shared, "question": request.question, "choices": request.choices}
    else:
        data = {**shared, **_approval(request)}
    type = events.QUESTION_ASKED if is_question else events.APPROVAL_ASKED
    request.seq = entry.append(type, data, thread=str(run.thread_id))
    request.save(force_insert=True)
    return str(request.pk)


def _approval(request: Request) -> dict[str, Any]:
    return {
        "arguments": request.arguments,
        "description": request.description,
        "artifacts": request.artifacts,
    }


def named_artifacts(entry: Entry, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The artifacts of the workspace that a call's arguments name by id, as they are now."""
    named = set(_ids(arguments))
    rows = Artifact.objects.filter(workspace=entry.workspace, pk__in=named) if named else ()
    return [{"id": str(row.pk), "title": row.title, "version": row.version} for row in rows]


def _ids(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if id := id_in(value):
            yield str(id)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _ids(item)


def _more(entry: Entry, thread: Thread) -> bool:
    run = thread.run
    if run is not None and run.status in (status.PAUSED, status.READY):
        return run.status == status.READY
    return thread.asked_seq > thread.taken_seq and bool(undelivered(thread, entry.head).messages)
