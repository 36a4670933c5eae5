"""People at work on an installation of several processes: they write into many threads, edit a document, and watch."""

import asyncio
import contextlib
import random
import time
import urllib.error
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from tests.processes.cluster import Cluster
from tests.processes.page import Page, opened
from tests.processes.visitor import AWAY, Visitor

BUSY_SECONDS = 0.1


class Load:
    """What alice does in her threads. `said` counts the messages that were taken."""

    def __init__(self, visitors: Sequence[Visitor], seed: int = 7) -> None:
        self.visitors = list(visitors)
        self.threads: list[str] = []
        self.said = self.refused = 0
        self._dice = random.Random(seed)

    async def begin(self, count: int) -> None:
        """New threads, each with a first message."""
        for number in range(count):
            self.threads.append(await self._sent("/threads/", content=f"begin {number}"))
            self.said += 1

    async def go_on(self, pause: float = BUSY_SECONDS) -> None:
        """Write into one thread after another, at whichever process answers, until cancelled."""
        while True:
            await self.say(self._dice.choice(self.threads))
            await asyncio.sleep(self._dice.uniform(0, 2 * pause))

    async def say(self, thread: str) -> None:
        """One message, sent as it is until it is taken."""
        words = f"go on {uuid.uuid4().hex[:8]}"
        await self._sent(f"{thread}messages/", content=words, message_id=uuid.uuid4().hex)
        self.said += 1

    async def _sent(self, path: str, seconds: float = 120, **fields: str) -> str:
        deadline = time.monotonic() + seconds
        while True:
            try:
                return await asyncio.to_thread(self._dice.choice(self.visitors).post, path, **fields)
            except urllib.error.HTTPError as refused:
                if refused.code < 500 or time.monotonic() > deadline:
                    raise
            except AWAY:
                if time.monotonic() > deadline:
                    raise
            self.refused += 1
            await asyncio.sleep(0.1)


@asynccontextmanager
async def busy(load: Load, pause: float = BUSY_SECONDS) -> AsyncIterator[None]:
    """People work for the duration of a block."""
    task = asyncio.create_task(load.go_on(pause))
    try:
        yield
        assert not task.done(), task.exception()
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def watched(load: Load, count: int) -> AsyncIterator[list[Page]]:
    """A page on each of some threads, at one process after another."""
    async with contextlib.AsyncExitStack() as stack:
        pages: list[Page] = []
        for number, thread in enumerate(load.threads[:count]):
            visitor = load.visitors[number % len(load.visitors)]
            pages += await stack.enter_async_context(opened(visitor, thread))
        yield pages


async def caught_up(cluster: Cluster, pages: Sequence[Page], seconds: float = 60) -> None:
    """Every page has each event of its thread once, in order."""
    for page in pages:
        thread = page.path.strip("/").split("/")[-1]
        rows = await asyncio.to_thread(cluster.postgresql.rows, EVENTS, thread, page.first)
        wanted = [seq for (seq,) in rows]
        deadline = time.monotonic() + seconds
        while not set(wanted) <= set(page.seqs) and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        assert page.seqs == wanted, f"{page.connections} connections: {sorted(set(wanted) ^ set(page.seqs))}"


EVENTS = "select seq from artifacts_event where thread = %s and seq > %s order by seq"
