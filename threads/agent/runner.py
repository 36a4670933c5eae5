"""The Runner takes the turns of threads that have work, in this process, as tasks of its own.

It looks at a thread when something asks for it, here or in another process, after each turn, and in a sweep every few
seconds and at the start, which finds what scripts and the dead left. Whoever claims first wins. It takes
`ARTIFACTR_TURNS` at once; what is beyond that waits in the database, whose order is fair between workspaces, for
whichever process has room first.
"""

import asyncio
import contextlib
import logging
import os
import random
import socket
import uuid
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

from django.conf import settings
from pydantic_ai.exceptions import RunCancelled, UserError
from pydantic_ai.usage import UsageLimits

from artifacts import announcing, hints
from artifacts.bearings import work_on
from artifacts.core.envelope import Envelope
from artifacts.database import AWAY, in_database, persistently
from artifacts.relay import relay
from threads.agent import failures
from threads.agent.assistant import assistant
from threads.agent.models import chosen, close_models, request_settings
from threads.agent.session import Session, opened
from threads.agent.vigil import Vigil
from threads.core import events
from threads.live import hub
from threads.turns import ending, holding
from threads.turns.claiming import Claimed, claim
from threads.turns.writing import ClaimLost

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 2.0
LET_GO_SECONDS = 4.0
"""How long turns that were cancelled may take to let go of their threads."""

FIRST_COME_SECONDS = 0.15
"""How much later a thread is looked at that another process said it would take."""

ASKING = (events.MESSAGE_POSTED, events.REQUEST_ANSWERED, events.RETRY_REQUESTED)


class Runner:
    """Takes turns until it is shut down. One a process; lives in one event loop."""

    def __init__(self) -> None:
        self.owner = f"{socket.gethostname()[:20]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._most = settings.ARTIFACTR_TURNS
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._turns: dict[str, asyncio.Task[None]] = {}
        self._sessions: dict[str, Session] = {}
        self._closing = False
        self._crowded = False
        self._room = asyncio.Event()
        self._hearing = contextlib.ExitStack()
        self._vigil = Vigil(self.owner, tokens=self._turns.keys, lost=self._lost, found=self._found)

    async def start(self) -> None:
        """Begin to listen and to sweep."""
        self._loop = asyncio.get_running_loop()
        self._hearing.enter_context(announcing.hearing(announcing.EVERY_WORKSPACE, self._hear))
        relay.hearing(hints.LOG, self._hear_hint)
        self._hearing.callback(relay.no_longer_hearing, hints.LOG, self._hear_hint)
        await self._vigil.start()
        self._sweeping = self._task(self._sweep())
        logger.info("%s takes %d turns at once", self.owner, self._most)

    async def shutdown(self, grace: float) -> None:
        """Take no new turns and hand over those that run: at their next safe point, or cut after `grace` seconds.

        A safe point is the end of a model's response and of the tools that it called. What does not let go of its
        thread even when it is cut is left, and its claim lapses.
        """
        self._closing = True
        self._hearing.close()
        self._sweeping.cancel()
        for session in self._sessions.values():
            session.leaving = True
        tasks = list(self._tasks.values())
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for turn in self._turns.values():
            turn.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=LET_GO_SECONDS)
        await close_models()
        await self._vigil.close()

    def acts(self) -> bool:
        """Whether a thread that asks in this process is taken here, at once. In any thread."""
        return not self._closing and not self._crowded and len(self._tasks) < self._most

    def look(self, thread_id: str) -> None:
        """Take the thread's turns if it has work and there is room. Called in the event loop."""
        if self._closing:
            return
        if thread_id in self._tasks:
            self._again.add(thread_id)
        elif self.acts():
            self._begin(thread_id)
        else:
            self._crowded = True
            self._room.set()

    def _begin(self, thread_id: str) -> None:
        task = self._tasks[thread_id] = self._task(self._serve(thread_id))
        task.add_done_callback(lambda _: self._served(thread_id))

    def _served(self, thread_id: str) -> None:
        del self._tasks[thread_id]
        self._room.set()
        if thread_id in self._again:
            self._again.discard(thread_id)
            self.look(thread_id)

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """A task with a clean context: one made in a request would inherit the request's thread and connection."""
        return self._loop.create_task(work, context=Context())

    def _hear(self, workspace_id: str, written: list[Envelope]) -> None:
        """In the committing thread: wake the loop for threads that ask."""
        asking = {event.thread for event in written if event.type in ASKING and event.thread}
        for thread_id in asking:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the process ends
                self._loop.call_soon_threadsafe(self.look, thread_id)

    def _hear_hint(self, by: str, said: Any) -> None:
        """Another process says what asks: look, the later the busier we are, and later still if it looks itself."""
        _, _, about, acts = said
        wait = len(self._tasks) / self._most * FIRST_COME_SECONDS + random.uniform(0, 0.004)  # noqa: S311 (a jitter)
        for thread_id in {thread for type, thread in about if type in ASKING or type == hints.WOKEN}:
            self._loop.call_later(wait + (FIRST_COME_SECONDS if acts else 0), self._look_if_free, thread_id)

    def _look_if_free(self, thread_id: str) -> None:
        if not self._closing:
            self._task(self._looked(thread_id))

    async def _looked(self, thread_id: str) -> None:
        with contextlib.suppress(*AWAY):  # the sweep finds it
            if await in_database(holding.has_work, thread_id):
                self.look(thread_id)

    async def _sweep(self) -> None:
        """Look at what has work: now and then, and when there is room again for what was waiting."""
        while True:
            try:
                await self._fill()
            except Exception as error:  # noqa: BLE001 (whatever it is, the next sweep tries again)
                logger.warning("the sweep for threads with work failed (%s)", type(error).__name__)
            self._room.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._next_room(), SWEEP_SECONDS)

    async def _next_room(self) -> None:
        while True:
            await self._room.wait()
            self._room.clear()
            if self._crowded and len(self._tasks) < self._most:
                return

    async def _fill(self) -> None:
        free = self._most - len(self._tasks)
        if free <= 0:
            return
        self._crowded = False  # what asks meanwhile may be newer than what is read
        found = await in_database(holding.threads_with_work, free + 1)
        self._crowded = self._crowded or len(found) > free
        for thread_id in found[:free]:
            if thread_id not in self._tasks and not self._closing and len(self._tasks) < self._most:
                self._begin(thread_id)

    def _lost(self, token: str) -> None:
        if turn := self._turns.get(token):
            turn.cancel()

    def _found(self, threads: list[str]) -> None:
        for thread_id in threads:
            self.look(thread_id)

    async def _serve(self, thread_id: str) -> None:
        """Take turn after turn while there is work, and nobody waits for room."""
        work_on(thread=thread_id)
        try:
            more = True
            while more and not self._closing:
                token = str(uuid.uuid4())
                claimed = await persistently(claim, thread_id, token, self.owner, settings.ARTIFACTR_MODEL)
                more = claimed is not None and await self._turn(claimed) and not self._crowded
        except Exception:
            logger.exception("the thread %s could not be served; the next sweep tries again", thread_id)

    async def _turn(self, claimed: Claimed) -> bool:
        """Take one turn in a task of its own, so that cancelling it does not end the thread's service."""
        with hub.running(claimed.thread) as live:
            session = self._sessions[claimed.token] = await persistently(opened, claimed, live)
            turn = self._turns[claimed.token] = self._task(self._run(session))
            if self._closing:
                turn.cancel()
            try:
                await asyncio.wait([turn])
            finally:
                del self._turns[claimed.token], self._sessions[claimed.token]
            if turn.cancelled() and not session.entered:
                await self._hand_over(session)
            if self._closing:
                hints.wake(claimed.workspace, claimed.thread)
            return session.more and not turn.cancelled()

    async def _hand_over(self, session: Session) -> None:
        """Let go of a turn that was cancelled before the capability had it."""
        with contextlib.suppress(ClaimLost):
            await persistently(ending.hand_over, session.turn, [])

    async def _run(self, session: Session) -> None:
        """Run the agent. The capability ends the turn; only what never entered it is ended here."""
        claimed = session.claimed
        work_on(workspace=claimed.workspace, thread=claimed.thread, run=claimed.run)
        logger.info("a turn begins (%s)", claimed.trigger)
        try:
            model = await chosen(settings.ARTIFACTR_MODEL)
            await assistant().run(
                None,
                message_history=session.history,
                deferred_tool_results=session.approved,
                deps=session,
                model=model,
                model_settings=request_settings(model),
                conversation_id=session.claimed.thread,
                usage_limits=UsageLimits(request_limit=None),  # ours outlast pauses: see threads.core.limits
            )
        except RunCancelled:
            pass  # stopped, or refused: the capability has ended it
        except ClaimLost:
            logger.warning("the run %s goes on in another process", session.claimed.run)
        except Exception as error:  # noqa: BLE001 (whatever a model or a tool raises has ended this turn alone)
            if not session.entered:
                session.more = await persistently(ending.end, session.turn, [], failures.ending(error))
            elif not isinstance(error, UserError):
                logger.info("the run %s failed: %s", session.claimed.run, type(error).__name__)
        else:
            logger.info("a turn ends")
