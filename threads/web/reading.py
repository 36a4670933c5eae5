"""What the thread page reads of the log: the newest events of a thread, or those before some `seq`."""

from dataclasses import dataclass

from artifacts import log
from artifacts.core.envelope import Envelope
from artifacts.models import Event
from threads.models import Thread

PAGE = 150
"""Events that a page shows at once; when a socket has missed more, the page is loaded anew."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events in order, later events about them, whether there are earlier ones, and the head before the reading."""

    events: list[Envelope]
    later: list[Envelope]
    more: bool
    head: int

    @property
    def first(self) -> int:
        """The `seq` before which earlier events are."""
        return self.events[0].seq if self.events else 0


def newest(thread: Thread) -> Stretch:
    """The end of a thread's log."""
    head = log.head(str(thread.workspace_id))
    return _stretch(thread, before=head + 1, head=head)


def earlier(thread: Thread, before: int) -> Stretch:
    """The events before `before`, with all that was said about them since."""
    return _stretch(thread, before=before, head=log.head(str(thread.workspace_id)))


def page_before(thread: Thread, at: int) -> int | None:
    """Where the page of earlier events begins that has this one in its middle; None if the newest events have it."""
    later = Event.objects.filter(thread=thread.pk, seq__gt=at).order_by("seq")
    seqs = later.values_list("seq", flat=True)[:PAGE]
    return seqs[PAGE // 2] if len(seqs) == PAGE else None


def _stretch(thread: Thread, before: int, head: int) -> Stretch:
    rows = Event.objects.filter(thread=thread.pk, seq__lt=before).order_by("-seq")[: PAGE + 1]
    events = [row.envelope() for row in reversed(rows)]
    more = len(events) > PAGE
    events = events[1:] if more else events
    return Stretch(events, _later(thread, events, before, head), more, head)


def _later(thread: Thread, events: list[Envelope], before: int, head: int) -> list[Envelope]:
    if before > head or not events:
        return []
    created = [event.seq for event in events if event.about is None]
    rows = Event.objects.filter(
        workspace_id=thread.workspace_id, about__in=created, seq__gte=before, seq__lte=head
    )
    return [row.envelope() for row in rows.order_by("seq")]
