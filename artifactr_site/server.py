"""Daphne with a beginning and an end.

Daphne knows no ASGI lifespan: on a signal it kills what runs. This server starts the Runner in Daphne's own loop once
it listens, and, told to stop, first lets the Runner hand its runs over, while pages still see it, and then closes
connections. Both ends are bounded in time.
"""

import asyncio
import contextvars
import logging
from collections.abc import Callable, Coroutine
from typing import Any

# Installs Twisted's asyncio reactor, so it comes before everything else of Twisted.
from daphne.server import Server, twisted_loop  # isort: skip
from daphne.endpoints import build_endpoint_description_strings
from twisted.internet import defer, reactor
from twisted.python.failure import Failure

from artifactr_site.runs import Runs, shut_down

logger = logging.getLogger(__name__)

REQUEST_SECONDS = 5.0
"""How long a request that is being answered, or a socket that was closed, may still take."""


class SiteServer(Server):  # type: ignore[misc]  # Daphne has no types
    """Serves until a signal; `failure` then says why it could not, if it could not."""

    def __init__(
        self,
        application: object,
        *,
        host: str,
        port: int,
        runs: Runs,
        grace: float,
        ready: Callable[[str], None],
    ) -> None:
        super().__init__(
            application,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            application_close_timeout=REQUEST_SECONDS,
            ready_callable=lambda: reactor.callWhenRunning(self.begin),
            server_name="artifactr",
        )
        self.runs = runs
        self.grace = grace
        self.ready = ready
        self.failure = ""
        self.tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        self.spawn(self.start_runs())

    async def start_runs(self) -> None:
        try:
            await self.runs.start()
        except Exception as error:
            logger.exception("The runner did not start")
            self.failure = f"The runner did not start: {error}"
            self.stop()
            return
        host, port = self.listening_addresses[0]
        self.ready(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")

    def listen_error(self, failure: Failure) -> None:
        """Called by Daphne when its address cannot be had, which is nearly always another server on the port."""
        self.failure = (
            f"{failure.getErrorMessage()} Choose another port: serve --port 8001, or PORT=8001 make run."
        )
        self.stop()

    def kill_all_applications(self) -> defer.Deferred[None]:
        """Called by Daphne as the reactor is about to stop; the reactor waits for what this returns."""
        return defer.Deferred.fromFuture(self.spawn(self.drain()))

    async def drain(self) -> None:
        await shut_down(self.runs, self.grace)
        await self.close_applications()

    async def close_applications(self) -> None:
        """Cancel what still answers, and wait for it, but not for ever."""
        applications = [details.get("application_instance") for details in self.connections.values()]
        pending = [application for application in applications if application and not application.done()]
        for application in pending:
            application.cancel()
        if pending:
            await asyncio.wait(pending, timeout=REQUEST_SECONDS)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """A task that is nobody's child: what it starts must not inherit a request's context."""
        task: asyncio.Task[None] = twisted_loop.create_task(work, context=contextvars.Context())
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task
