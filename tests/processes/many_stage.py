"""A model for several processes: what it does is in the newest message.

`count <n>` says so many words, each with the time at which it was said. `work` calls a small tool again and again
until a message says `enough`. `ask` asks a question. `publish` needs approval. Anything else is what `stage` plays:
tools that append to a file.
"""

import asyncio
import json
import re
import time
import uuid
from collections.abc import AsyncIterator

from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from tests.processes import stage
from tests.processes.stage import tools

MESSAGE = re.compile(r'<message author="[^"]*">\n(.*?)\n</message>', re.DOTALL)
PAUSE = 0.03


@tools.tool_plain
async def tick() -> str:
    """Let a moment pass."""
    await asyncio.sleep(PAUSE)
    return "tick"


@tools.tool_plain(requires_approval=True)
async def launch(what: str) -> str:
    """Do something that needs leave."""
    return f"launched {what}"


def model() -> FunctionModel:
    """The model that `ARTIFACTR_MODEL` names."""
    return FunctionModel(stream_function=_respond, model_name="many")


async def _respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    said = [text for message in messages if isinstance(message, ModelRequest) for text in _said(message)]
    last = isinstance(messages[-1], ModelRequest) and not _said(messages[-1])
    word, _, rest = (said[-1] if said else "").partition(" ")
    match word:
        case "count":
            for number in range(int(rest.split()[0])):
                await asyncio.sleep(PAUSE)
                yield f"{number}@{time.time():.4f} "
        case "work":
            yield {0: _call("tick")}
        case "ask" if not last:
            yield {0: _call("ask_user", question="Tea or coffee?", choices=["tea", "coffee"])}
        case "launch" if not last:
            yield {0: _call("launch", what="it")}
        case "enough" | "ask" | "launch":
            yield f"done: {said[-1]}"
        case _:
            async for piece in stage._respond(messages, info):
                yield piece


def _said(message: ModelRequest) -> list[str]:
    prompts = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
    return [text for prompt in prompts for text in MESSAGE.findall(str(prompt))]


def _call(tool: str, **arguments: object) -> DeltaToolCall:
    return DeltaToolCall(tool, json.dumps(arguments), tool_call_id=uuid.uuid4().hex)
