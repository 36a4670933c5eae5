"""One follower of a workspace's log in each process, however many sockets watch it.

A watcher is told the events as they are written. It reads the log itself: what it is told is only a reason to look.
"""

import asyncio
import contextvars
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from artifacts import log
from artifacts.core.envelope import Envelope
from artifacts.core.rejections import NotFound

logger = logging.getLogger(__name__)

type Heard = Callable[[list[Envelope]], None]

AGAIN = 1.0
"""Seconds until a follower whose database was away looks again."""

_followers: dict[str, "Follower"] = {}


@dataclass(slots=True)
class Follower:
    """Follows one workspace while anybody listens."""

    workspace: str
    head: int
    listeners: list[Heard] = field(default_factory=list)
    task: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Follow until the workspace is deleted; a database that is away is waited for."""
        with suppress(NotFound):
            while True:
                with _survived():
                    await self._follow()
                await asyncio.sleep(AGAIN)

    async def _follow(self) -> None:
        async for window in log.follow(self.workspace, self.head):
            self.head = window.head
            if window.events:
                for heard in list(self.listeners):
                    heard(window.events)


@contextmanager
def following(workspace: str, head: int, heard: Heard) -> Iterator[None]:
    """Be told of what is written after `head`, and perhaps of some of what was written before."""
    follower = _followers.get(workspace)
    if follower is None:
        follower = _followers[workspace] = Follower(workspace, head)
        follower.task = asyncio.get_running_loop().create_task(follower.run(), context=contextvars.Context())
    follower.listeners.append(heard)
    try:
        yield
    finally:
        follower.listeners.remove(heard)
        if not follower.listeners:
            _followers.pop(workspace, None)
            if follower.task is not None:
                follower.task.cancel()


@contextmanager
def _survived() -> Iterator[None]:
    """What goes wrong while following is logged, and survived."""
    try:
        yield
    except NotFound:
        raise
    except Exception:
        logger.exception("cannot follow the log; looking again in %s s", AGAIN)
