"""The Runner takes the turns of threads that have work, in this process, as tasks of its own.

It looks at a thread when something in this process asks for it, after each turn, and in a sweep every few seconds and
at the start, which finds what other processes, scripts and the dead left. Whoever claims first wins.
"""

import asyncio
import contextlib
import logging
import os
import socket
import uuid
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

from django.conf import settings
from pydantic_ai.exceptions import RunCancelled, UserError
from pydantic_ai.usage import UsageLimits

from artifacts import announcing
from artifacts.core.envelope import Envelope
from artifacts.database import in_database, persistently
from threads.agent import failures
from threads.agent.assistant import assistant
from threads.agent.life import Life
from threads.agent.models import chosen, close_models, request_settings
from threads.agent.session import Begun, Session, begin
from threads.core import events
from threads.live import hub
from threads.turns import ending, holding
from threads.turns.lease import CLAIM_SECONDS
from threads.turns.writing import ClaimLost

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 2.0
RENEW_SECONDS = CLAIM_SECONDS / 5
LOOK_AFTER_SECONDS = 1.0
ASKING = (events.MESSAGE_POSTED, events.REQUEST_ANSWERED, events.RETRY_REQUESTED)


class Runner:
    """Takes turns until it is shut down. One a process; lives in one event loop."""

    def __init__(self) -> None:
        self.owner = f"{socket.gethostname()[:20]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._turns: dict[str, asyncio.Task[None]] = {}
        self._routines: list[asyncio.Task[None]] = []
        self._closing = False
        self._hearing = contextlib.ExitStack()
        self._life = Life(self.owner)

    async def start(self) -> None:
        """Begin to listen and to sweep."""
        self._loop = asyncio.get_running_loop()
        self._hearing.enter_context(announcing.hearing(announcing.EVERY_WORKSPACE, self._hear))
        await persistently(self._life.keep)
        self._routines = [self._task(work()) for work in (self._sweep, self._look_after_claims, self._renew)]

    async def shutdown(self, grace: float) -> None:
        """Take no new turns and hand over those that run, within `grace` seconds. What is still left then is cut."""
        self._closing = True
        self._hearing.close()
        self._routines[0].cancel()
        tasks = list(self._tasks.values())
        for turn in self._turns.values():
            turn.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=grace)
        for routine in self._routines:
            routine.cancel()
        await asyncio.wait(self._routines)  # else the lock could be taken again after its release
        await close_models()
        await in_database(self._life.release)

    def look(self, thread_id: str) -> None:
        """Take the thread's turns if it has work. Called in the event loop."""
        if self._closing:
            return
        if thread_id in self._tasks:
            self._again.add(thread_id)
            return
        task = self._tasks[thread_id] = self._task(self._serve(thread_id))
        task.add_done_callback(lambda _: self._served(thread_id))

    def _served(self, thread_id: str) -> None:
        del self._tasks[thread_id]
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

    async def _sweep(self) -> None:
        while True:
            try:
                for thread_id in await in_database(holding.threads_with_work):
                    self.look(thread_id)
            except Exception:
                logger.exception("the sweep for threads with work failed; it is tried again")
            await asyncio.sleep(SWEEP_SECONDS)

    async def _look_after_claims(self) -> None:
        """Show that we live, and free what the dead hold."""
        while True:
            try:
                await in_database(self._bury_the_dead)
            except Exception:
                logger.exception("who lives could not be found out; it is tried again")
            await asyncio.sleep(LOOK_AFTER_SECONDS)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            if tokens := set(self._turns):
                try:
                    standing = await in_database(holding.renew, tokens)
                except Exception:
                    logger.exception("claims could not be renewed; it is tried again")
                    continue
                for token in tokens - standing:
                    if turn := self._turns.get(token):
                        turn.cancel()

    def _bury_the_dead(self) -> None:
        """In a database thread."""
        self._life.keep()
        if dead := self._life.dead_of(holding.owners()):
            logger.warning(
                "%s stopped without handing over; others go on with its runs", ", ".join(sorted(dead))
            )
            holding.give_up(dead)

    async def _serve(self, thread_id: str) -> None:
        """Take turn after turn while there is work."""
        try:
            more = True
            while more and not self._closing:
                token = str(uuid.uuid4())
                begun = await persistently(begin, thread_id, token, self.owner, settings.ARTIFACTR_MODEL)
                more = begun is not None and await self._turn(begun)
        except Exception:
            logger.exception("the thread %s could not be served; the next sweep tries again", thread_id)

    async def _turn(self, begun: Begun) -> bool:
        """Take one turn in a task of its own, so that cancelling it does not end the thread's service."""
        with hub.running(begun.claimed.thread) as live:
            session = begun.session(live)
            turn = self._turns[session.turn.token] = self._task(self._run(session))
            if self._closing:
                turn.cancel()
            try:
                await asyncio.wait([turn])
            finally:
                del self._turns[session.turn.token]
            if turn.cancelled() and not session.entered:
                await self._hand_over(session)
            return session.more and not turn.cancelled()

    async def _hand_over(self, session: Session) -> None:
        """Let go of a turn that was cancelled before the capability had it."""
        with contextlib.suppress(ClaimLost):
            await persistently(ending.hand_over, session.turn, [])

    async def _run(self, session: Session) -> None:
        """Run the agent. The capability ends the turn; only what never entered it is ended here."""
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
