"""A model for several processes: what it does is in the newest message.

`count <n>` says so many words, each with the time at which it was said. `work` calls a small tool again and again
until a message says `enough`. `ask` asks a question. `launch` needs approval. `draft` writes a document, slowly.
Anything else is what `stage` plays: tools that append to a file.
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
    is_asked = not isinstance(messages[-1], ModelRequest) or bool(_said(messages[-1]))
    word, _, rest = (said[-1] if said else "").partition(" ")
    answer: AsyncIterator[str | DeltaToolCalls]
    match word:
        case "count":
            answer = _counted(int(rest.split()[0]))
        case "work":
            answer = _calls("tick")
        case "ask" if is_asked:
            answer = _calls("ask_user", question="Tea or coffee?", choices=["tea", "coffee"])
        case "launch" if is_asked:
            answer = _calls("launch", what="it")
        case "draft" if is_asked:
            answer = _drafted()
        case "enough" | "ask" | "launch" | "draft":
            answer = _says(f"done: {said[-1]}")
        case _:
            answer = stage._respond(messages, info)
    async for piece in answer:
        yield piece


async def _says(text: str) -> AsyncIterator[str]:
    yield text


async def _counted(most: int) -> AsyncIterator[str]:
    for number in range(most):
        await asyncio.sleep(PAUSE)
        yield f"{number}@{time.time():.4f} "


async def _calls(tool: str, **arguments: object) -> AsyncIterator[DeltaToolCalls]:
    yield {0: _call(tool, **arguments)}


async def _drafted() -> AsyncIterator[DeltaToolCalls]:
    call = _call(
        "create_artifact", kind="document", data={"title": "Tea", "text": "Leaves in hot water. " * 10}
    )
    arguments = str(call.json_args)
    for at in range(0, len(arguments), 10):
        await asyncio.sleep(PAUSE)
        yield {
            0: DeltaToolCall(
                None if at else call.name, arguments[at : at + 10], tool_call_id=call.tool_call_id
            )
        }


def _said(message: ModelRequest) -> list[str]:
    prompts = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
    return [text for prompt in prompts for text in MESSAGE.findall(str(prompt))]


def _call(tool: str, **arguments: object) -> DeltaToolCall:
    return DeltaToolCall(tool, json.dumps(arguments), tool_call_id=uuid.uuid4().hex)
