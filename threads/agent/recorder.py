"""A turn's record: the facts and messages it has produced, and what of them is saved.

Everything goes through one outbox in order. What is to be saved is frozen into a `Write` before the first try, and one
lock serialises the saves. `capture` takes what is new in the live messages, and in the same step how far the log is in
them: an entry counts as taken exactly when the message that carries it is in what was captured.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)

from artifacts.database import AWAY, persistently, unbroken
from threads.agent import history
from threads.agent.inflow import Inflow
from threads.agent.session import Session
from threads.core import events
from threads.core.limits import LimitReached, Used, added
from threads.turns import ending, saving
from threads.turns.ending import Ending
from threads.turns.saving import Fact, Write
from threads.turns.writing import ClaimLost, NotPermitted

RETURNS_WAIT_SECONDS = 0.05


class Recorder:
    """Records one turn. All but the commits happens in the event loop."""

    def __init__(self, session: Session, inflow: Inflow, cancel: Callable[[], None]) -> None:
        self.session = session
        self.inflow = inflow
        self.messages: Sequence[ModelMessage] = ()
        self.refused: ClaimLost | NotPermitted | None = None
        self.over: LimitReached | None = None
        self.is_database_away = False
        self._cancel = cancel
        self._captured = len(session.history)
        self._facts: list[Fact] = []
        self._messages: list[ModelMessage] = []
        self._superseded: list[str] = []
        self._position: int | None = None
        self._unsaved: list[Write] = []
        self._saves = 0
        self._lock = asyncio.Lock()
        self._later: asyncio.TimerHandle | None = None
        self._flushes: set[asyncio.Task[None]] = set()
        self._known: set[str] = set()
        self._calls: dict[str, ToolCallPart] = {}
        self._used: list[Used] = []
        self._since = time.monotonic()

    def capture(self) -> None:
        """Take the messages that are new, with the facts that they are and how far the log is in them."""
        new = self.messages[self._captured :]
        self._captured += len(new)
        for message in new:
            if isinstance(message, ModelResponse):
                self._responded(message)
                self._used.append(history.used(message))
            else:
                self._facts += self.inflow.delivered_with(message)
                self._note_refused(message)
        self._messages += new
        self._position = self.inflow.position

    def spent(self) -> dict[str, float]:
        """What counts towards the run's limits, the newest response included."""
        new = self.messages[len(self.session.history) :]
        used = [history.used(message).usage() for message in new if isinstance(message, ModelResponse)]
        return added(self.session.claimed.spent, *used)

    def stop_at_limit(self, reached: LimitReached) -> None:
        """Cancel the turn, so that it ends as failed by this limit."""
        self.over = reached
        self._cancel()

    def delivers_something(self) -> bool:
        """Whether a message that is not captured yet carries an entry of the log."""
        return any(
            isinstance(message, ModelRequest) and self.inflow.carries(message)
            for message in self.messages[self._captured :]
        )

    async def called(self, call: ToolCallPart, arguments: Any) -> None:
        """A tool is about to begin: saved, with the response that called it, before it does."""
        self.capture()
        self._known.add(call.tool_call_id)
        self._facts.append(Fact(events.TOOL_CALLED, _call(call, arguments)))
        await self.flush()

    def returned(self, call: str, outcome: str, content: Any) -> None:
        """A tool has ended; saved soon, or with what is saved next."""
        told = content.return_value if isinstance(content, ToolReturn) else content
        data = {"call": call, "outcome": outcome, "content": history.jsonable(told)}
        self._facts.append(Fact(events.TOOL_RETURNED, data))
        if self._later is None:
            loop = asyncio.get_running_loop()
            self._later = loop.call_later(RETURNS_WAIT_SECONDS, self._flush_soon)

    def refused_call(self, call: ToolCallPart, outcome: str, content: Any) -> None:
        """A call that never reached its tool: unknown, or with arguments that do not fit."""
        if call.tool_call_id not in self._known:
            self.capture()
            self._refuse(call, outcome, content)

    def _refuse(self, call: ToolCallPart, outcome: str, content: Any) -> None:
        if call.tool_call_id not in self._known:
            self._known.add(call.tool_call_id)
            self._facts.append(Fact(events.TOOL_CALLED, _call(call, call.args)))
            self.returned(call.tool_call_id, outcome, content)

    def _note_refused(self, message: ModelRequest) -> None:
        """A call that was refused is in the log if it is in history, though a turn can end before its event comes."""
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and (call := self._calls.get(part.tool_call_id)):
                self._refuse(call, part.outcome, part.content)

    async def flush(self) -> None:
        """Save what is not saved. Cancels the turn, and raises, if it may write no more."""
        async with self._lock:
            self._freeze()
            if self._unsaved:
                await self.guarded(self._save)
        self._drop_superseded()

    async def guarded[T](self, unit: Callable[[], T]) -> T:
        """`persistently`, for a unit of the turn's own; why it may end the turn is remembered."""
        try:
            result = await persistently(unit)
        except AWAY:
            self.is_database_away = True
            raise
        except (ClaimLost, NotPermitted) as refused:
            self.refused = refused
            self._cancel()
            raise
        self.is_database_away = False
        return result

    async def end(self, outcome: Ending) -> bool:
        """Save the rest and end the turn in one transaction; return whether the thread has more to do."""
        self.capture()
        return await unbroken(asyncio.ensure_future(self._last(partial(self._end, outcome))))

    async def hand_over(self) -> None:
        """Save the rest and let go: the run goes on elsewhere, or at the next start."""
        await unbroken(asyncio.ensure_future(self._last(self._hand_over)))

    def _responded(self, response: ModelResponse) -> None:
        self._calls |= {part.tool_call_id: part for part in response.parts if isinstance(part, ToolCallPart)}
        text, thinking = history.words(response)
        parts = [part.id for part in self.session.live.parts.values() if part.kind in ("text", "thinking")]
        if text or thinking:
            self._superseded += parts
            self._facts.append(
                Fact(events.AGENT_RESPONDED, {"text": text, "thinking": thinking, "parts": parts})
            )

    def _drop_superseded(self) -> None:
        if self._superseded:
            self.session.live.drop(self._superseded)
            self._superseded = []

    def _freeze(self) -> None:
        messages = history.dumped(self._messages)
        if self._facts or messages:
            self._unsaved.append(self._write(messages))
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _write(self, messages: str | None = None) -> Write:
        """All that is not frozen yet, and how long it took."""
        self._saves += 1
        since, self._since = self._since, time.monotonic()
        write = Write(
            str(self._saves), self._facts, messages, self._position, self._used, self._since - since
        )
        self._facts, self._messages, self._position, self._used = [], [], None, []
        return write

    # In a database thread: what follows a commit is done there, so that no cancellation comes in between.

    def _save(self) -> None:
        self.inflow.forget(saving.save(self.session.turn, self._unsaved))
        self._unsaved.clear()

    def _end(self, outcome: Ending) -> bool:
        more = ending.end(self.session.turn, self._unsaved, outcome)
        self._unsaved.clear()
        return more

    def _hand_over(self) -> None:
        ending.hand_over(self.session.turn, self._unsaved)
        self._unsaved.clear()

    async def _last[T](self, unit: Callable[[], T]) -> T:
        async with self._lock:
            self._freeze()
            self._unsaved.append(self._write())  # the time since, and responses of which nothing is kept
            self._forget_unbegun()
            return await self.guarded(unit)

    def _forget_unbegun(self) -> None:
        """A call is saved before its tool begins: one that is not saved when the turn ends never began."""
        facts = [fact for write in self._unsaved for fact in write.facts]
        returned = {fact.data["call"] for fact in facts if fact.type == events.TOOL_RETURNED}
        self._unsaved = [
            replace(write, facts=[fact for fact in write.facts if _has_begun(fact, returned)])
            for write in self._unsaved
        ]

    def _flush_soon(self) -> None:
        self._later = None
        task = asyncio.ensure_future(self._flush_returns())
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)

    async def _flush_returns(self) -> None:
        # The turn is cancelled by now, or saves it with what comes next.
        with contextlib.suppress(ClaimLost, NotPermitted, *AWAY):
            await self.flush()


def _has_begun(fact: Fact, returned: set[str]) -> bool:
    return fact.type != events.TOOL_CALLED or fact.data["call"] in returned


def _call(call: ToolCallPart, arguments: Any) -> dict[str, Any]:
    return {"call": call.tool_call_id, "tool": call.tool_name, "arguments": history.jsonable(arguments)}
