"""Stored history to pydantic-ai's messages, and back."""

import json
import reprlib
import uuid
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
    ToolReturn,
    is_multi_modal_content,
    repair_messages,
)
from pydantic_core import to_jsonable_python

from artifacts.core.text import cleaned, cleaned_json
from threads.core import history as core
from threads.core.limits import Used
from threads.turns.chunks import newest_first


def load(thread_id: str, limit: int) -> list[ModelMessage]:
    """The last turns of a thread, with `limit` estimated tokens or less, and a line where others are left out.

    Merged as pydantic-ai merges it, calls that wait for an answer left open.
    """
    stored, is_cut = core.recent(newest_first(thread_id), limit)
    if is_cut:
        stored[0]["parts"].insert(0, core.prompt(core.LEFT_OUT))
    return repair_messages(ModelMessagesTypeAdapter.validate_python(stored), repair_last_response=False)


def dumped(messages: Iterable[ModelMessage]) -> str | None:
    """Messages as they are stored: without instructions, and without what a break left half done. None if empty."""
    kept = [storable for message in messages if (storable := _storable(message)).parts]
    if not kept:
        return None
    return json.dumps(cleaned_json(ModelMessagesTypeAdapter.dump_python(kept, mode="json", fallback=str)))


def plain(result: Any) -> Any:
    """What a tool returned as JSON that every model and database takes; pictures and other files stay what they are."""
    if isinstance(result, ToolReturn):
        return replace(result, return_value=plain(result.return_value), metadata=jsonable(result.metadata))
    if isinstance(result, list | tuple) and any(map(is_multi_modal_content, result)):
        return [plain(item) for item in result]
    return result if is_multi_modal_content(result) else jsonable(result)


def with_note(result: Any, note: str) -> Any:
    """What a tool returned, with a note for the model before it."""
    if not note:
        return result
    if isinstance(result, ToolReturn):
        return replace(result, return_value=with_note(result.return_value, note))
    if isinstance(result, str):
        return f"{note}\n\n{result}"
    if is_multi_modal_content(result):
        return [note, result]
    if isinstance(result, list) and any(map(is_multi_modal_content, result)):
        return [note, *result]
    return {"note": note, "result": result}


def jsonable(value: Any) -> Any:
    """Any value as JSON that every database stores: what JSON does not know, like infinity, becomes its name."""
    try:
        written = json.dumps(to_jsonable_python(value, fallback=_in_words, bytes_mode="base64"))
    except ValueError:  # a circle, nested too deeply, or half a surrogate pair as a key
        written = json.dumps(_in_words(value))
    return cleaned_json(json.loads(written, parse_constant=str))


def _in_words(value: Any) -> str:
    """How a value shows itself; of one that cannot, as much as can be shown."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 (whatever somebody's own class raises, or Python, whose limit it is nested beyond)
        return reprlib.repr(value)


def distinct(response: ModelResponse, before: Iterable[ModelMessage]) -> ModelResponse:
    """`response` with an id of its own for each call, which databases store: a call is known by its id.

    Some models use an id again, in another response or in the same.
    """
    known = {
        part.tool_call_id for message in before if message is not response for part in _calls_of(message)
    }
    parts = list(response.parts)
    for index, part in enumerate(parts):
        if isinstance(part, ToolCallPart):
            if part.tool_call_id in known or part.tool_call_id != cleaned(part.tool_call_id):
                parts[index] = part = replace(part, tool_call_id=f"call-{uuid.uuid4().hex}")
            known.add(part.tool_call_id)
    return replace(response, parts=parts)


def _calls_of(message: ModelMessage) -> list[ToolCallPart]:
    return [part for part in message.parts if isinstance(part, ToolCallPart)]


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


def used(response: ModelResponse) -> Used:
    """What a response used, as its provider says."""
    return Used(
        model=response.model_name or "",
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        cached_tokens=response.usage.cache_read_tokens,
        tool_calls=len(_calls_of(response)),
    )


def words(response: ModelResponse) -> tuple[str, str]:
    """The text and the thinking of a response."""
    text = "\n\n".join(part.content for part in response.parts if isinstance(part, TextPart) and part.content)
    thinking = "\n\n".join(
        part.content for part in response.parts if isinstance(part, ThinkingPart) and part.content
    )
    return cleaned(text), cleaned(thinking)
