"""The site with a model for tests of the page: what it says, how fast, and how much, is said by the message it answers.

    stream <shape> <characters> [<seconds>]    prose, list, table, fence: so much text of it, spread over so long
    deltas <count>                             so many pieces, as fast as they are taken
    produce <characters>                       calls a tool whose result is so long
    think                                      thinks before it answers
    hostile                                    says what would like to be more than text, and drafts it
    fail                                       breaks off in the middle

This module is its own settings (`DJANGO_SETTINGS_MODULE`): an installation with another model and one tool more.
"""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator
from typing import Any

from artifactr_site.settings import *  # noqa: F403

ARTIFACTR_MODEL = "python:tests.browser.stage:model"
ARTIFACTR_TOOLSETS = ["tests.browser.stage.tools"]
ARTIFACTR_PERSON_MESSAGES_A_MINUTE = None

ENVIRONMENT_OF_STAGE = {"DJANGO_SETTINGS_MODULE": "tests.browser.stage"}

LINES = {
    "prose": "Tea is a drink, and *{n}* is the number of this sentence, which is long enough to be `one`.\n\n",
    "list": "- point {n} of a long list, with **bold** words\n",
    "table": "| {n} | a cell with some words | another one |\n",
    "fence": "value_{n} = compute({n}, 'some words')  # line {n}\n",
}
BEGINNINGS = {"table": "| a | b | c |\n|:--|--:|---|\n", "fence": "```python\n"}
MESSAGE = re.compile(r"<message[^>]*>\n(.*?)\n</message>", re.DOTALL)
CALLS = {"produce": "produce", "hostile": "create_artifact"}
"""The tools that are called before an answer."""

PIECE = 37
"""Characters of one delta."""

HOSTILE = """\
<img src=x onerror="document.title='hit'"> <script>document.title='hit'</script> </script></textarea></article>
[a](javascript:document.title='hit') [b](//evil.example/x) [c](data:text/html,hit) ![d](https://evil.example/pixel.png)
<div id="things" hx-swap-oob="true" hx-get="/hit" hx-trigger="load">e</div> <workspace-changes> </message>
<https://evil.example/auto> \u202eright to left\u202c 👩‍👩‍👧 &#0; <style>*{display:none}</style>
<iframe src=/hit></iframe>

| <b onclick=x> | `<i>` |
|---|---|
| <svg onload=x> | [f](vbscript:x) |

```html
<img src=x onerror=hit>"""


def text_of(shape: str, characters: int) -> str:
    """So many characters of a shape."""
    line = LINES[shape]
    text = BEGINNINGS.get(shape, "") + "".join(
        line.format(n=n) for n in range(characters // (len(line) - 4) + 1)
    )
    return text[:characters]


def model() -> Any:
    """The model that `ARTIFACTR_MODEL` names."""
    from pydantic_ai.models.function import FunctionModel

    return FunctionModel(stream_function=_respond, model_name="stage")


async def _respond(messages: list[Any], info: Any) -> AsyncIterator[Any]:
    (act, *words), has_returned = _asked(messages)
    async for delta in _answer(act, words) if has_returned or act not in CALLS else _call(act, words):
        yield delta


async def _call(act: str, words: list[str]) -> AsyncIterator[Any]:
    """What comes before an answer that needs a tool."""
    from pydantic_ai.models.function import DeltaToolCall

    arguments: dict[str, Any] = {"kind": "document", "data": {"title": HOSTILE[:90], "text": HOSTILE}}
    if act == "hostile":
        yield HOSTILE + "\n```\n\n"
    else:
        arguments = {"characters": int(words[0])}
    yield {0: DeltaToolCall(CALLS[act], json.dumps(arguments), tool_call_id=uuid.uuid4().hex)}


async def _answer(act: str, words: list[str]) -> AsyncIterator[Any]:
    from pydantic_ai.models.function import DeltaThinkingPart

    match act:
        case "stream":
            async for piece in _streamed(*words):
                yield piece
        case "deltas":
            for number in range(int(words[0])):
                await asyncio.sleep(0)
                yield f"word{number} "
        case "think":
            yield {0: DeltaThinkingPart(content="Let me see. " * 20)}
            yield "I have thought."
        case "fail":
            yield "I begin, and "
            raise ValueError("a secret of the server")
        case _:
            yield HOSTILE if act == "hostile" else "Yes."


async def _streamed(shape: str, characters: str, seconds: str = "0") -> AsyncIterator[str]:
    text = text_of(shape, int(characters))
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    for piece in pieces:
        await asyncio.sleep(float(seconds) / len(pieces))
        yield piece


def _asked(messages: list[Any]) -> tuple[list[str], bool]:
    """The last message's words, and whether a tool has returned since."""
    from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart

    has_returned = False
    for message in reversed(messages):
        for part in reversed(message.parts) if isinstance(message, ModelRequest) else ():
            if isinstance(part, ToolReturnPart):
                has_returned = True
            elif isinstance(part, UserPromptPart) and (said := MESSAGE.search(str(part.content))):
                return said[1].split() or [""], has_returned
    return [""], has_returned


def __getattr__(name: str) -> Any:
    """The tools, made when they are asked for: settings are read before pydantic-ai may be."""
    if name != "tools":
        raise AttributeError(name)
    from pydantic_ai.toolsets import FunctionToolset

    toolset: FunctionToolset[Any] = FunctionToolset()

    @toolset.tool_plain
    def produce(characters: int) -> str:
        """Produce a long text."""
        return ("0123456789" * (characters // 10 + 1))[:characters]

    return toolset
