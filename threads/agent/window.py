"""What of a run is sent to its model when the run itself has grown long. What is stored stays whole.

Whole turns were left out as the history was loaded. Now the oldest results of tools are cut, as far as is needed; a
prompt, an answer or a call never is. Tokens are estimated at four characters each: cheap, and near enough for a bound.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart, UserPromptPart

from threads.core.history import CHARACTERS_A_TOKEN
from threads.core.limits import LimitReached

NOTE_LENGTH = 120
"""Characters that the note on what is left out takes at most."""

SHORTEST = 1_000
"""Characters of a result that are always sent."""


def sent(messages: Sequence[ModelMessage], present: str | None, limit: int) -> list[ModelMessage]:
    """The messages as they are sent: fitted, and last what is `present`, which is not stored.

    It changes between requests: so prompt caches stay warm. At least half of `limit` is for the messages. Raises
    `LimitReached`.
    """
    if present is None:
        return fitted(messages, limit)
    *before, last = fitted(messages, max(limit // 2, limit - len(present) // CHARACTERS_A_TOKEN))
    assert isinstance(last, ModelRequest)  # a model is only ever sent a request
    return [*before, replace(last, parts=[*last.parts, UserPromptPart(present)])]


def fitted(messages: Sequence[ModelMessage], limit: int) -> list[ModelMessage]:
    """The messages with `limit` estimated tokens at most. Raises `LimitReached` if that cannot be."""
    excess = sum(map(_length, messages)) - limit * CHARACTERS_A_TOKEN
    sent = list(messages)
    for index, message in enumerate(messages):
        if excess <= 0:
            return sent
        if isinstance(message, ModelRequest):
            sent[index] = _cut(message, excess)
            excess -= _length(message) - _length(sent[index])
    if excess > 0:
        raise LimitReached(f"The run has grown beyond the {limit:,} tokens that the model may be sent.")
    return sent


def _cut(request: ModelRequest, excess: int) -> ModelRequest:
    """A request whose results are shorter by `excess` characters, or by as many as they can be."""
    parts = list(request.parts)
    for index, part in enumerate(parts):
        if isinstance(part, ToolReturnPart) and excess > 0:
            text = part.model_response_str()
            kept = max(SHORTEST, len(text) - excess - NOTE_LENGTH)
            if kept + NOTE_LENGTH < len(text):
                shorter: Any = text[:kept] + _note(len(text) - kept)
                parts[index] = replace(part, content=shorter)
                excess -= len(text) - kept - NOTE_LENGTH
    return replace(request, parts=parts)


def _note(characters: int) -> str:
    return f"\n(The other {characters:,} characters are left out here. Call the tool again if you need them.)"


def _length(message: ModelMessage) -> int:
    return sum(_length_of(part) for part in message.parts)


def _length_of(part: object) -> int:
    match part:
        case ToolReturnPart():
            return len(part.model_response_str())
        case ToolCallPart():
            return len(part.args_as_json_str())
        case _:
            return len(str(getattr(part, "content", "")))
