"""What a process needs of a Runner: a start, and an end that hands over.

A process may serve pages and run turns (`server.py`), serve pages alone (`NoRuns`), or run turns alone (`run_alone`).
Where there are others (`Among`), it tells them of what it does, and hears them.
"""

import asyncio
import logging
import signal
from collections.abc import Callable
from contextlib import ExitStack
from typing import Protocol

from channels.layers import get_channel_layer

from artifacts import hints
from artifacts.relay import relay

logger = logging.getLogger(__name__)

MARGIN_SECONDS = 5.0
"""How much longer than its grace a Runner may take to shut down."""


class Runs(Protocol):
    """The Runner, as far as a server knows it. Times are in seconds."""

    async def start(self) -> None: ...

    async def shutdown(self, grace: float) -> None: ...

    def acts(self) -> bool:
        """Whether what asks in this process is taken here, at once."""
        ...


class NoRuns:
    """The Runner of a process that runs no turns."""

    async def start(self) -> None:
        pass

    async def shutdown(self, grace: float) -> None:
        pass

    def acts(self) -> bool:
        return False


class Among:
    """A Runner among those of other processes, which Redis connects."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._telling = ExitStack()

    async def start(self) -> None:
        layer = get_channel_layer()
        assert layer is not None, "settings always name one"
        await relay.start(layer)
        self._telling.enter_context(hints.passing_on(self._runs.acts))
        await self._runs.start()

    async def shutdown(self, grace: float) -> None:
        await self._runs.shutdown(grace)
        self._telling.close()
        await relay.close()

    def acts(self) -> bool:
        return self._runs.acts()


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
