"""A model and a tool for processes that are killed.

For each message the model calls `append` twice at once, then once more, then answers; whatever was interrupted, it
goes on. The tool writes to the file in `APPENDED` when it begins and when it ends: the file tells what the log cannot.
"""

import asyncio
import os
import random
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic_ai import RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

from threads.agent.session import Session

APPENDED = "ARTIFACTR_TEST_APPENDED"
CALLS_BY_STEP = (2, 1)
PAUSE = 0.02

tools: FunctionToolset[Session] = FunctionToolset()


@tools.tool
async def append(ctx: RunContext[Session], line: str) -> str:
    """Append a line to the file."""
    _append(f"begin {ctx.tool_call_id}")
    await asyncio.sleep(random.uniform(0, 2 * PAUSE))
    _append(f"end {ctx.tool_call_id}")
    return f"appended {line}"


def model() -> FunctionModel:
    """The model that `ARTIFACTR_MODEL` names."""
    return FunctionModel(stream_function=_respond, model_name="stage")


async def _respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    step = _steps_since_the_last_answer(messages)
    for word in ("one ", "two ", "three "):
        await asyncio.sleep(random.uniform(0, PAUSE))
        yield word
    for number in range(CALLS_BY_STEP[step] if step < len(CALLS_BY_STEP) else 0):
        yield {number + 1: DeltaToolCall("append", '{"line": "x"}', tool_call_id=uuid.uuid4().hex)}


def _steps_since_the_last_answer(messages: list[ModelMessage]) -> int:
    steps = 0
    for message in reversed(messages):
        if isinstance(message, ModelResponse):
            if not any(isinstance(part, ToolCallPart) for part in message.parts):
                return steps
            steps += 1
    return steps


def _append(line: str) -> None:
    with Path(os.environ[APPENDED]).open("a") as file:
        file.write(line + "\n")
