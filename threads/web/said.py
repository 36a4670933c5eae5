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
            does, words = ":", data["content"]
        case events.NOTICE_POSTED:
            does, words = " to people only:", data["content"]
        case events.AGENT_RESPONDED if data.get("text"):
            does, words = ":", data["text"]
        case events.QUESTION_ASKED:
            does, words = " asks:", data["question"]
        case events.APPROVAL_ASKED:
            does, words = " asks leave for", data["tool"]
        case events.RUN_ENDED if data["outcome"] == FAILED:
            does, words = " failed:", data.get("reason", "")
        case events.RUN_ENDED if data["outcome"] == STOPPED:
            does, words = " stopped", ""
        case _:
            return ""
    return f"{event.actor.name}{does} {spoken(words[: 2 * LONGEST])[:LONGEST]}".rstrip()
