"""What is read aloud to those who cannot see the page: an entry a finished message, never what is being written."""

from collections.abc import Iterable

from artifacts.core.envelope import Envelope
from artifacts.web.prose import spoken
from threads.core import events
from threads.core.status import FAILED, STOPPED

LONGEST = 400
FEW = 1


def entries(log: Iterable[Envelope], *, late: bool) -> list[str]:
    """The entries for some events; for those that come late, after a reconnection, no more than their number."""
    said = [entry for event in log if (entry := _entry(event))]
    if late and len(said) > FEW:
        return [f"{len(said)} new messages"]
    return said


def _entry(event: Envelope) -> str:
    data = event.data
    match event.type:
        case events.MESSAGE_POSTED:
            words = data["content"]
        case events.NOTICE_POSTED:
            words = f"to people only: {data['content']}"
        case events.AGENT_RESPONDED:
            words = data.get("text") or ""
        case events.QUESTION_ASKED:
            words = f"asks: {data['question']}"
        case events.APPROVAL_ASKED:
            words = f"asks leave for {data['tool']}"
        case events.RUN_ENDED if data["outcome"] == FAILED:
            words = f"failed: {data.get('reason', '')}"
        case events.RUN_ENDED if data["outcome"] == STOPPED:
            words = "stopped"
        case _:
            return ""
    return f"{event.actor.name}: {spoken(words[: 2 * LONGEST])[:LONGEST]}" if words else ""
