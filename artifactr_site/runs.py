"""What a process needs of a Runner: a start, and an end that hands over.

A process may serve pages and run turns (`server.py`), serve pages alone (`NoRuns`), or run turns alone (`run_alone`).
"""

import asyncio
import logging
import signal
from collections.abc import Callable
from typing import Protocol

logger = logging.getLogger(__name__)

MARGIN_SECONDS = 5.0
"""How much longer than its grace a Runner may take to shut down."""


class Runs(Protocol):
    """The Runner, as far as a server knows it. Times are in seconds."""

    async def start(self) -> None: ...

    async def shutdown(self, grace: float) -> None: ...


class NoRuns:
    """The Runner of a process that runs no turns."""

    async def start(self) -> None:
        pass

    async def shutdown(self, grace: float) -> None:
        pass


async def shut_down(runs: Runs, grace: float) -> None:
    """Let the Runner hand over. Whatever it does, the process goes on to stop: another continues its runs."""
    try:
        async with asyncio.timeout(grace + MARGIN_SECONDS):
            await runs.shutdown(grace)
    except Exception:
        logger.exception(
            "The runner did not shut down in order; its runs go on elsewhere, or at the next start"
        )


async def run_alone(runs: Runs, *, grace: float, ready: Callable[[], None]) -> None:
    """Run turns until SIGTERM or SIGINT comes, and serve nothing."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    await runs.start()
    ready()
    await stop.wait()
    await shut_down(runs, grace)
