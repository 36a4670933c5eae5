"""Stored history to pydantic-ai's messages, and back."""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    repair_messages,
)

from artifacts.core.text import cleaned, cleaned_json
from threads.models import Chunk


def load(thread_id: str) -> list[ModelMessage]:
    """A thread's whole history, merged as pydantic-ai merges it, calls that wait for an answer left open."""
    chunks = Chunk.objects.filter(thread_id=thread_id).values_list("messages", flat=True)
    stored = [message for chunk in chunks for message in json.loads(chunk)]
    return repair_messages(ModelMessagesTypeAdapter.validate_python(stored), repair_last_response=False)


def dumped(messages: Iterable[ModelMessage]) -> str | None:
    """Messages as they are stored: without instructions, and without what a break left half done. None if empty."""
    kept = [storable for message in messages if (storable := _storable(message)).parts]
    if not kept:
        return None
    return json.dumps(cleaned_json(ModelMessagesTypeAdapter.dump_python(kept, mode="json")))


def _storable(message: ModelMessage) -> ModelMessage:
    if isinstance(message, ModelRequest):
        return replace(message, instructions=None, metadata=None, state="complete")
    if message.state != "interrupted":
        return message
    # A call whose response broke off never began, and its arguments may be cut.
    spoken = [part for part in message.parts if not isinstance(part, ToolCallPart)]
    return replace(message, parts=[part for part in spoken if not _is_empty(part)], state="complete")


def _is_empty(part: Any) -> bool:
    return isinstance(part, TextPart | ThinkingPart) and not part.content


def words(response: ModelResponse) -> tuple[str, str]:
    """The text and the thinking of a response."""
    text = "\n\n".join(part.content for part in response.parts if isinstance(part, TextPart) and part.content)
    thinking = "\n\n".join(
        part.content for part in response.parts if isinstance(part, ThinkingPart) and part.content
    )
    return cleaned(text), cleaned(thinking)
