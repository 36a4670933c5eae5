"""What was said in a thread before its agent asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from artifacts.core.envelope import Envelope
from artifacts.models import Event
from threads.core import events
from threads.models import Request

MESSAGES = 6
LIMIT = 4_000
READ = 40
"""Events to look at for those messages: a response that is a tool call alone says nothing."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a person or of the agent. `left` counts the characters that are not in `text`."""

    by: str
    at: datetime
    text: str
    left: int


def before(request: Request) -> list[Said]:
    """The last messages before a request, in the order in which they were said."""
    rows = Event.objects.filter(
        thread=request.thread_id,
        seq__lt=request.seq,
        type__in=(events.MESSAGE_POSTED, events.AGENT_RESPONDED),
    )
    said = _said(row.envelope() for row in rows.order_by("-seq")[:READ])
    return [message for message, _ in zip(said, range(MESSAGES), strict=False)][::-1]


def _said(log: Iterator[Envelope]) -> Iterator[Said]:
    for event in log:
        text = str(event.data.get("content") or event.data.get("text") or "")
        if text.strip():
            yield Said(event.actor.name, event.at, text[:LIMIT], len(text[LIMIT:]))
