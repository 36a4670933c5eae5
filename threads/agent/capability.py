"""The capability that makes a pydantic-ai agent a participant of a thread.

`wrap_run` owns the turn's record: the watcher that feeds the run, every save, and the one end. The hooks around nodes,
model requests and tools only tell the recorder what happens, in the order in which it does.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.conf import settings
from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import (
    AgentNode,
    CapabilityOrdering,
    NodeResult,
    WrapNodeRunHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
)
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, RetryModelRequest
from pydantic_ai.messages import AgentStreamEvent, ModelResponse, ToolCallPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import DeferredToolRequests, RunContext, ToolDefinition
from pydantic_graph import End

from artifacts import announcing, log
from threads import limits
from threads.agent import failures
from threads.agent.asking import asked
from threads.agent.followed import Present, present
from threads.agent.history import distinct, plain, with_note
from threads.agent.inflow import Inflow
from threads.agent.patience import notice, wait_before_trying_again
from threads.agent.recorder import Recorder
from threads.agent.session import Session
from threads.agent.streaming import Streaming
from threads.agent.window import sent
from threads.core import status
from threads.core.history import DEFERRED
from threads.core.limits import RunLimits, Usage
from threads.turns.ending import Ending

ASKS = "ask_user"


@dataclass
class ArtifactWorkspace(AbstractCapability[Session]):
    """Records a turn, and keeps its agent aware of what others say and change."""

    recorder: Recorder | None = None
    streaming: Streaming | None = None

    def get_ordering(self) -> CapabilityOrdering:
        return CapabilityOrdering(position="outermost")

    async def for_run(self, ctx: RunContext[Session]) -> "ArtifactWorkspace":
        return replace(self, recorder=None, streaming=None)

    async def wrap_run(self, ctx: RunContext[Session], *, handler: "WrapRunHandler") -> AgentRunResult[Any]:
        session = ctx.deps
        session.entered = True
        inflow = Inflow(session, ctx)
        recorder = self.recorder = Recorder(session, inflow, ctx.cancel)
        self.streaming = Streaming(session)
        with _watching(inflow, ctx), _timed(recorder):
            try:
                if session.approved is not None:
                    # Nothing was delivered with the claim: it goes along with the results of what was approved.
                    unread = partial(log.read, session.claimed.workspace, after=inflow.position)
                    waiting = await recorder.guarded(unread)
                    inflow.receive(waiting)
                result = await handler()
            except asyncio.CancelledError:
                await self._cancelled(recorder)
                raise
            except Exception as error:
                await self._failed(recorder, error)
                raise
        await self._end(recorder, _ending(result, ctx))
        return result

    async def _cancelled(self, recorder: Recorder) -> None:
        """A cancelled task ends its run only by a stop that is stored, or a limit; else the run goes on elsewhere."""
        if recorder.refused is not None:
            await self._refused(recorder)
        elif recorder.inflow.stopped:
            await self._end(recorder, Ending(status.STOPPED))
        elif recorder.over is not None:
            await self._end(recorder, failures.ending(recorder.over))
        else:
            await recorder.hand_over()

    async def _failed(self, recorder: Recorder, error: Exception) -> None:
        """What breaks a run ends it as failed; but where the database was away for long, the run goes on afterwards."""
        if recorder.refused is not None:
            await self._refused(recorder)
        elif recorder.is_database_away:
            await recorder.hand_over()
        else:
            await self._end(recorder, failures.ending(recorder.over or error))

    async def _refused(self, recorder: Recorder) -> None:
        """Nothing may be written without a claim; without leave, only the end."""
        if ending := failures.refusal(recorder.refused):
            await self._end(recorder, ending)

    async def _end(self, recorder: Recorder, ending: Ending) -> None:
        drafts = self.streaming.unfinished() if self.streaming else ()
        recorder.session.more = await recorder.end(replace(ending, drafts=drafts))

    async def wrap_node_run(
        self, ctx: RunContext[Session], *, node: "AgentNode[Session]", handler: "WrapNodeRunHandler[Session]"
    ) -> "NodeResult[Session]":
        recorder = self._recorder
        recorder.messages = ctx.messages
        if recorder.session.leaving and Agent.is_model_request_node(node):
            ctx.cancel()  # a safe point: what the model asked for is done, and it was asked for nothing more
            await asyncio.sleep(0)
        _require_within(limits.of_a_run(), node, recorder.spent())
        result = await handler(node)
        if isinstance(result, End):
            recorder.inflow.freeze_at_end(ctx, paused=isinstance(result.data.output, DeferredToolRequests))
        return result

    async def before_model_request(
        self, ctx: RunContext[Session], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        recorder = self._recorder
        recorder.messages = ctx.messages
        if recorder.delivers_something():
            recorder.capture()
            await recorder.flush()
        if self.streaming is not None:
            self.streaming.next_response()
        parameters = request_context.model_request_parameters
        ctx.deps.tools = {tool.name: tool for tool in parameters.function_tools}
        now = await self._present(ctx.deps)
        now.require_day(ctx.deps.claimed.tokens_a_day)
        request_context.messages = sent(request_context.messages, now.text, settings.ARTIFACTR_SENT_TOKENS)
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Session], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        distinguished = distinct(response, ctx.messages)
        if self.streaming is not None:
            self.streaming.responded(distinguished)
        return distinguished

    async def on_model_request_error(
        self, ctx: RunContext[Session], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """Ask again after a while where that may help, and say so on the page meanwhile."""
        wait = wait_before_trying_again(error, request_context.attempt)
        if wait is None:
            raise error
        if self.streaming is not None:
            self.streaming.say(notice(error, wait))
        await asyncio.sleep(wait)
        raise RetryModelRequest

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Session],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: WrapToolExecuteHandler,
    ) -> Any:
        if call.tool_name == ASKS:
            return await handler(args)  # the request it becomes is its record
        recorder = self._recorder
        recorder.messages = ctx.messages
        await recorder.called(call, args)
        note = ctx.deps.edits.get(call.tool_call_id, "")
        try:
            result = await handler(args)
        except (CallDeferred, ApprovalRequired):
            recorder.returned(call.tool_call_id, DEFERRED, None)
            raise
        except Exception as error:
            failures.add_note(error, note)
            recorder.returned(call.tool_call_id, *failures.result(error))
            raise
        told = with_note(plain(result), note)
        recorder.returned(call.tool_call_id, "success", told)
        return told

    async def wrap_run_event_stream(
        self, ctx: RunContext[Session], *, stream: AsyncIterable[AgentStreamEvent]
    ) -> AsyncIterator[AgentStreamEvent]:
        """Look at what passes by. The hook for one event at a time costs more than the rest of a turn does."""
        async for event in stream:
            if self.streaming is not None:
                await self.streaming.receive(event, self._recorder)
            yield event

    async def _present(self, session: Session) -> Present:
        """What the agent has before it now: what it had as the turn began, unless something was written since."""
        begun, session.present = session.present, None
        if begun is not None and announcing.newest(session.claimed.workspace) == session.claimed.read:
            return begun
        return await self._recorder.guarded(partial(present, session.claimed.thread))

    @property
    def _recorder(self) -> Recorder:
        assert self.recorder is not None  # wrap_run comes before every other hook
        return self.recorder


@contextlib.contextmanager
def _watching(inflow: Inflow, ctx: RunContext[Session]) -> Iterator[None]:
    """Follow the log while the run goes on; a stop cancels it."""

    async def watch() -> None:
        async for window in log.follow_own(ctx.deps.claimed.workspace, inflow.position):
            inflow.receive(window)
            if inflow.stopped:
                ctx.cancel()
            if inflow.frozen:
                return

    watcher = asyncio.create_task(watch())
    try:
        yield
    finally:
        watcher.cancel()


def _ending(result: AgentRunResult[Any], ctx: RunContext[Session]) -> Ending:
    if isinstance(result.output, DeferredToolRequests):
        return Ending(status.PAUSED, asked=asked(result.output, ctx.deps.tools, result.all_messages()))
    return Ending(status.COMPLETED)


def _require_within(allowed: RunLimits, node: "AgentNode[Session]", spent: Usage) -> None:
    """Raises `LimitReached` before a request, or before the calls of a response, that is one too many."""
    if Agent.is_model_request_node(node):
        allowed.require_request(spent)
    elif Agent.is_call_tools_node(node):
        allowed.require_calls(spent)


@contextlib.contextmanager
def _timed(recorder: Recorder) -> Iterator[None]:
    """End the run when it has worked for as long as one may."""
    allowed = limits.of_a_run()
    left = allowed.seconds_left(recorder.session.claimed.spent)
    if left is None:
        yield
        return
    loop = asyncio.get_running_loop()
    timer = loop.call_later(left, lambda: recorder.stop_at_limit(allowed.out_of_time()))
    try:
        yield
    finally:
        timer.cancel()
