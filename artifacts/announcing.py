"""Hints to whoever waits: a workspace's log has grown.

An announcement carries the events just committed in this process; of another process' commit a hint says at most how
far the log has grown. Both may come late, out of order, or not at all: whoever listens reads the log where what was
announced does not follow on what they have.
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
type Hinted = Callable[[int], None]

_lock = Lock()
_hearers: defaultdict[str, list[Hearer]] = defaultdict(list)
_hinted: defaultdict[str, list[Hinted]] = defaultdict(list)
_newest: dict[str, int] = {}
EVERY_WORKSPACE = ""


def announce(workspace_id: str, events: list[Envelope]) -> None:
    """Tell whoever listens; of nothing, so that they look. Called after a commit, in any thread."""
    with _lock:
        _newest[workspace_id] = max([_newest.get(workspace_id, 0), *(event.seq for event in events)])
        hearers = [*_hearers.get(workspace_id, ()), *_hearers.get(EVERY_WORKSPACE, ())]
    for hear in hearers:
        try:
            hear(workspace_id, events)
        except Exception:
            logger.exception("somebody who listens failed; the others are told")


def hint(workspace_id: str, head: int) -> None:
    """Another process says that a log has grown to `head`."""
    with _lock:
        _newest[workspace_id] = max(_newest.get(workspace_id, 0), head)
        told = list(_hinted.get(workspace_id, ()))
    for hear in told:
        hear(head)


def newest(workspace_id: str) -> int:
    """The newest `seq` that was announced in this process, or hinted at; 0 if none was."""
    return _newest.get(workspace_id, 0)


@contextmanager
def hearing(workspace_id: str, hear: Hearer) -> Iterator[None]:
    """Call `hear` in the committing thread for each announcement of a workspace, or of `EVERY_WORKSPACE`."""
    with _enlisted(_hearers, workspace_id, hear):
        yield


@contextmanager
def _enlisted[T](lists: defaultdict[str, list[T]], workspace_id: str, hear: T) -> Iterator[None]:
    with _lock:
        lists[workspace_id].append(hear)
    try:
        yield
    finally:
        with _lock:
            lists[workspace_id].remove(hear)
            if not lists[workspace_id]:
                del lists[workspace_id]


class Inbox:
    """What was announced of one workspace, for one task of one event loop; `head` is how far it is said to go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.head = 0
        self._loop = loop
        self._announced = asyncio.Event()
        self._events: list[Envelope] = []

    def hear(self, workspace_id: str, events: list[Envelope]) -> None:
        """Receive an announcement in any thread. A loop that has closed hears nothing."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._receive, events)

    def hear_of(self, head: int) -> None:
        """Receive a hint, in any thread."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._learn, head)

    def _receive(self, events: list[Envelope]) -> None:
        self._events += events
        self._learn(max((event.seq for event in events), default=self.head))

    def _learn(self, head: int) -> None:
        self.head = max(self.head, head)
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
    with hearing(workspace_id, inbox.hear), _enlisted(_hinted, workspace_id, inbox.hear_of):
        yield inbox
