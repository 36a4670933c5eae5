"""What was said in a thread around the moment in which its agent asked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from artifacts.models import Event
from threads.core import events
from threads.models import Request

MESSAGES = 6
AFTER = 4
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
    rows = _messages(request).filter(seq__lt=request.seq)
    return [*islice(_said(rows.order_by("-seq")[:READ]), MESSAGES)][::-1]


def after(request: Request) -> list[Said]:
    """The first messages since."""
    rows = _messages(request).filter(seq__gt=request.seq)
    return [*islice(_said(rows.order_by("seq")[:READ]), AFTER)]


def _messages(request: Request) -> QuerySet[Event]:
    types = (events.MESSAGE_POSTED, events.NOTICE_POSTED, events.AGENT_RESPONDED)
    return Event.objects.filter(thread=request.thread_id, type__in=types)


def _said(log: Iterable[Event]) -> Iterator[Said]:
    for event in log:
        text = str(event.data.get("content") or event.data.get("text") or "")
        if text.strip():
            yield Said(event.actor_name, event.at, text[:LIMIT], len(text[LIMIT:]))
