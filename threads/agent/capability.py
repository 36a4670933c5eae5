"""The capability that makes a pydantic-ai agent a participant of a thread.

`wrap_run` owns the turn's record: the watcher that feeds the run, every save, and the one end. The hooks around nodes,
model requests and tools only tell the recorder what happens, in the order in which it does.
"""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import (
    AgentNode,
    CapabilityOrdering,
    NodeResult,
    WrapNodeRunHandler,
    WrapRunHandler,
    WrapToolExecuteHandler,
)
from pydantic_ai.exceptions import ApprovalRequired, CallDeferred
from pydantic_ai.messages import AgentStreamEvent, ModelRequest, ModelResponse, ToolCallPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import DeferredToolRequests, RunContext, ToolDefinition
from pydantic_graph import End

from artifacts import log
from artifacts.database import persistently
from threads.agent import failures
from threads.agent.asking import asked
from threads.agent.followed import followed_artifacts
from threads.agent.history import distinct, plain, with_note
from threads.agent.inflow import Inflow
from threads.agent.recorder import Recorder
from threads.agent.session import Session
from threads.agent.streaming import Streaming
from threads.core import status
from threads.core.history import DEFERRED
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
        with _watching(inflow, ctx):
            try:
                if session.approved is not None:
                    # Nothing was delivered with the claim: it goes along with the results of what was approved.
                    waiting = await persistently(log.read, session.claimed.workspace, after=inflow.position)
                    inflow.receive(waiting)
                result = await handler()
            except asyncio.CancelledError:
                await self._cancelled(ctx, recorder)
                raise
            except Exception as error:
                await self._failed(ctx, recorder, error)
                raise
        await self._end(ctx, recorder, _ending(result, ctx))
        return result

    async def _cancelled(self, ctx: RunContext[Session], recorder: Recorder) -> None:
        """A cancelled task ends its run only if a stop is stored; otherwise the run goes on elsewhere."""
        if recorder.refused is not None:
            await self._refused(ctx, recorder)
        elif recorder.inflow.stopped:
            await self._end(ctx, recorder, Ending(status.STOPPED))
        else:
            await recorder.hand_over()

    async def _failed(self, ctx: RunContext[Session], recorder: Recorder, error: Exception) -> None:
        if recorder.refused is not None:
            await self._refused(ctx, recorder)
        else:
            await self._end(ctx, recorder, failures.ending(error))

    async def _refused(self, ctx: RunContext[Session], recorder: Recorder) -> None:
        """Nothing may be written without a claim; without leave, only the end."""
        if ending := failures.refusal(recorder.refused):
            await self._end(ctx, recorder, ending)

    async def _end(self, ctx: RunContext[Session], recorder: Recorder, ending: Ending) -> None:
        drafts = self.streaming.unfinished() if self.streaming else ()
        recorder.session.more = await recorder.end(replace(ending, usage=_usage(ctx), drafts=drafts))

    async def wrap_node_run(
        self, ctx: RunContext[Session], *, node: "AgentNode[Session]", handler: "WrapNodeRunHandler[Session]"
    ) -> "NodeResult[Session]":
        recorder = self._recorder
        recorder.messages = ctx.messages
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
        # What changes between requests travels last and is not stored, so that prompt caches stay warm.
        if followed := await persistently(followed_artifacts, ctx.deps.claimed.thread):
            last = request_context.messages[-1]
            assert isinstance(last, ModelRequest)  # a model is only ever sent a request
            now = replace(last, parts=[*last.parts, UserPromptPart(followed)])
            request_context.messages = [*request_context.messages[:-1], now]
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Session], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        distinguished = distinct(response, ctx.messages)
        if self.streaming is not None:
            self.streaming.responded(distinguished)
        return distinguished

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

    async def on_event(self, ctx: RunContext[Session], *, event: AgentStreamEvent) -> None:
        if self.streaming is not None:
            await self.streaming.receive(event, self._recorder)

    @property
    def _recorder(self) -> Recorder:
        assert self.recorder is not None  # wrap_run comes before every other hook
        return self.recorder


@contextlib.contextmanager
def _watching(inflow: Inflow, ctx: RunContext[Session]) -> Iterator[None]:
    """Follow the log while the run goes on; a stop cancels it."""

    async def watch() -> None:
        async for window in log.follow(ctx.deps.claimed.workspace, inflow.position):
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


def _usage(ctx: RunContext[Session]) -> dict[str, int]:
    used = ctx.usage
    return {"requests": used.requests, "input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
