"""Hints to whoever waits: a workspace's log has grown.

An announcement carries the events just committed in this process. It may come late, out of order, or, for the
commits of other processes, not at all: whoever listens reads the log where what was announced does not follow on
what they have.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from artifacts.core.envelope import Envelope

logger = logging.getLogger(__name__)

type Hearer = Callable[[str, list[Envelope]], None]

_lock = Lock()
_hearers: defaultdict[str, list[Hearer]] = defaultdict(list)
_newest: dict[str, int] = {}
EVERY_WORKSPACE = ""


def announce(workspace_id: str, events: list[Envelope]) -> None:
    """Tell whoever listens. Called after a commit, in any thread."""
    with _lock:
        _newest[workspace_id] = max(_newest.get(workspace_id, 0), events[-1].seq)
        hearers = [*_hearers.get(workspace_id, ()), *_hearers.get(EVERY_WORKSPACE, ())]
    for hear in hearers:
        try:
            hear(workspace_id, events)
        except Exception:
            logger.exception("somebody who listens failed; the others are told")


def newest(workspace_id: str) -> int:
    """The newest `seq` that was announced in this process; 0 if none was."""
    return _newest.get(workspace_id, 0)


@contextmanager
def hearing(workspace_id: str, hear: Hearer) -> Iterator[None]:
    """Call `hear` in the committing thread for each announcement of a workspace, or of `EVERY_WORKSPACE`."""
    with _lock:
        _hearers[workspace_id].append(hear)
    try:
        yield
    finally:
        with _lock:
            _hearers[workspace_id].remove(hear)
            if not _hearers[workspace_id]:
                del _hearers[workspace_id]


class Inbox:
    """What was announced of one workspace, for one task of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._announced = asyncio.Event()
        self._events: list[Envelope] = []

    def hear(self, workspace_id: str, events: list[Envelope]) -> None:
        """Receive an announcement in any thread. A loop that has closed hears nothing."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._receive, events)

    def _receive(self, events: list[Envelope]) -> None:
        self._events += events
        self._announced.set()

    def take(self, position: int) -> list[Envelope]:
        """All that was announced after `position`, in order; nothing if there is a gap in it: then read the log."""
        self._announced.clear()
        events = sorted(
            (event for event in self._events if event.seq > position), key=lambda event: event.seq
        )
        self._events = []
        gapless = [event.seq for event in events] == list(range(position + 1, position + 1 + len(events)))
        return events if gapless else []

    async def wait(self, seconds: float) -> bool:
        """Whether something was announced within `seconds`; returns as soon as it is."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._announced.wait(), seconds)
        return self._announced.is_set()


@contextmanager
def listening(workspace_id: str) -> Iterator[Inbox]:
    """An inbox that receives a workspace's announcements in the running loop."""
    inbox = Inbox(asyncio.get_running_loop())
    with hearing(workspace_id, inbox.hear):
        yield inbox
