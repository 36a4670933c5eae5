"""What each open call of a stored history gets: the result it had, an answer, or what became of it."""

from collections.abc import Iterable
from typing import Any

from artifacts.core.notes import framed
from artifacts.log import Entry
from artifacts.models import Event
from threads.core import decisions, events, history
from threads.core.arguments import edits_note
from threads.core.history import DEFERRED, INTERRUPTED, NOT_STARTED, Call, Return
from threads.models import Request, Run, Thread
from threads.turns.chunks import newest_first


def tail_of(thread: Thread) -> list[history.Message]:
    """The stored messages from the last response on."""
    return history.tail(newest_first(str(thread.pk)))


def owed(entry: Entry, run: Run, calls: Iterable[Call]) -> dict[Call, Return | None]:
    """What each call gets; None for one that was approved and has not begun: it is still to run."""
    calls = list(calls)
    if not calls:
        return {}
    began, returned = _recorded(entry, run)
    requests = {
        request.call: request for request in run.requests.filter(call__in=[call.id for call in calls])
    }
    told: set[int] = set()
    return {call: _result(call, began, returned, requests.get(call.id), told) for call in calls}


def _recorded(entry: Entry, run: Run) -> tuple[set[str], dict[str, Return]]:
    """The calls that began since the run last paused, and the results that they had, this transaction's included."""
    stored = Event.objects.filter(
        thread=run.thread_id,
        seq__gt=max(run.seq, run.paused_seq),
        type__in=(events.TOOL_CALLED, events.TOOL_RETURNED),
    )
    facts = [(row.type, row.data) for row in (*stored, *entry.events) if row.data.get("run") == str(run.pk)]
    began = {data["call"] for type, data in facts if type == events.TOOL_CALLED}
    returned = {
        data["call"]: Return(data["outcome"], data["content"])
        for type, data in facts
        if type == events.TOOL_RETURNED and data["outcome"] != DEFERRED
    }
    return began, returned


def _result(
    call: Call, began: set[str], returned: dict[str, Return], request: Request | None, told: set[int]
) -> Return | None:
    if call.id in returned:
        return returned[call.id]
    if call.id in began:
        return Return("interrupted", f"{INTERRUPTED} {_note(request)}".strip())
    match request and request.state:
        case decisions.ANSWERED:
            return Return("success", _words(request, told))
        case decisions.DECLINED:
            return Return("denied", _words(request, told))
        case decisions.APPROVED:
            return None
        case decisions.CLOSED:
            return Return("interrupted", "Nobody answered this before the run ended.")
        case _:
            return Return("interrupted", NOT_STARTED)


def _note(request: Request | None) -> str:
    """That the call ran with other arguments than the model gave, if it did."""
    answer: dict[str, Any] = (request and request.answer) or {}
    return edits_note(answer["by"], answer["arguments"]) if answer.get("arguments") is not None else ""


def _words(request: Request | None, told: set[int]) -> str:
    """An answer or a refusal as the model reads it. A message that settled several requests is given once."""
    answer: dict[str, Any] = (request and request.answer) or {}
    text, message = answer.get("text") or "", answer.get("message")
    if message is not None and message in told:
        return "The same message answers this."
    if message is not None:
        told.add(message)
    if request is not None and request.state == decisions.DECLINED:
        said = history.message_prompt(answer.get("by", ""), text) if text else ""
        return f"{framed(answer.get('by', ''))} declined this. {said}".strip()
    return history.message_prompt(answer.get("by", ""), text)
