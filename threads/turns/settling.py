"""A request gets its answer; the last one makes the run ready to resume."""

from dataclasses import dataclass
from typing import Any

from artifacts.log import Entry
from threads.core import decisions, events, status
from threads.core.decisions import ANSWERED, CLOSED, DECLINED
from threads.models import Request, Run


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a request was decided: a question's answer or a refusal's reason, or the arguments that were changed.

    `message` is the `seq` of the message that said it.
    """

    state: str
    said: str | None = None
    arguments: dict[str, Any] | None = None
    message: int | None = None


def settle(entry: Entry, request: Request, verdict: Verdict) -> int:
    """Record how a request was decided, by whom this entry is, and return the event's `seq`."""
    said, state = verdict.said, verdict.state
    request.state = state
    request.answer = {
        "text": said,
        "message": verdict.message,
        "by": entry.actor.name,
        "arguments": verdict.arguments,
    }
    request.decided_by, request.decided_at = entry.actor.name[:200], entry.at
    request.save(update_fields=("state", "answer", "decided_by", "decided_at"))
    data = {
        "run": str(request.run_id),
        "request": str(request.pk),
        "decision": state,
        "answer": said if state == ANSWERED else None,
        "reason": said if state == DECLINED else None,
        "arguments": verdict.arguments,
        "message": verdict.message,
    }
    return entry.append(events.REQUEST_ANSWERED, data, thread=str(request.thread_id), about=request.seq)


def open_requests(run: Run) -> list[Request]:
    """What the run still waits for, in the order in which it was asked."""
    return list(run.requests.filter(state=decisions.OPEN))


def ready_if_settled(run: Run) -> bool:
    """Make a paused run ready once nothing is open any more, and say whether it is."""
    if run.status == status.PAUSED and not run.requests.filter(state=decisions.OPEN).exists():
        run.status = status.READY
        run.save(update_fields=("status",))
    return run.status == status.READY


def settle_with_message(entry: Entry, run: Run, content: str, message: int) -> None:
    """A message in a paused thread is the reply: it answers each question and declines each approval."""
    for request in open_requests(run):
        state = ANSWERED if request.kind == decisions.QUESTION else DECLINED
        settle(entry, request, Verdict(state, content, message=message))
    ready_if_settled(run)


def close_requests(entry: Entry, run: Run) -> None:
    """Withdraw what a run that ends still waits for."""
    for request in open_requests(run):
        settle(entry, request, Verdict(CLOSED))
