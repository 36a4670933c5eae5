"""What the model is given, in pydantic-ai's stored form: JSON of its `ModelMessage`s.

Built and read as plain data, so that a stop in the admin closes a history without importing the agent framework. A
test validates every shape with pydantic-ai itself.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

from artifacts.core.notes import framed

type Message = dict[str, Any]
type Part = dict[str, Any]

DEFERRED = "deferred"
"""The outcome of a call whose body asked first: it may begin again, once that is decided."""

INTERRUPTED = "This call was interrupted. It may have run in part; check before you call it again."
NOT_STARTED = "This call was not started."
STOPPED_MARK = "<turn-stopped/>"
FAILED_MARK = "<turn-failed/>"
RETRIED_MARK = "<turn-retried/>"
"""Asks to go on with what was stopped or has failed before, as the mark above it says."""
WITHDRAWN_MARK = "<message-withdrawn/>"
"""Stands where a message would have stood, had its author not taken it back in the very moment."""
LEFT_OUT = "<left-out>Earlier turns of this thread are not shown to you here.</left-out>"
CHARACTERS_A_TOKEN = 4
"""A cheap estimate: too high for most Western text, and for other scripts near it, since JSON escapes them."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A chunk as it is stored: the run it is of, and its messages as JSON."""

    run: str
    messages: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call of the last response that has no return yet."""

    id: str
    tool: str


@dataclass(frozen=True, slots=True)
class Return:
    """What an open call gets: pydantic-ai's outcome, and the content that the model reads."""

    outcome: str
    content: Any


def prompt(text: str) -> Part:
    """A user-prompt part."""
    return {"part_kind": "user-prompt", "content": text}


def message_prompt(author: str, text: str) -> str:
    """A person's message as the model reads it."""
    name = framed(author).replace('"', "'")
    return f'<message author="{name}">\n{framed(text)}\n</message>'


def changes_prompt(notes: Iterable[str]) -> str:
    """Change notes as the model reads them, one an item: lines of a quoted passage are indented, and fake no item."""
    lines = "\n".join(f"- {note.replace('\n', '\n  ')}" for note in notes)
    return f"<workspace-changes>\n{lines}\n</workspace-changes>"


def tool_return(call: Call, result: Return) -> Part:
    """A tool-return part."""
    return {
        "part_kind": "tool-return",
        "tool_name": call.tool,
        "tool_call_id": call.id,
        "content": result.content,
        "outcome": result.outcome,
    }


def request(parts: Sequence[Part]) -> Message:
    """A message to the model."""
    return {"kind": "request", "parts": list(parts)}


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """The calls of the last response that nothing after it returns."""
    calls: dict[str, Call] = {}
    for message in messages:
        if message["kind"] == "response":
            calls = {
                part["tool_call_id"]: Call(part["tool_call_id"], part["tool_name"])
                for part in message["parts"]
                if part["part_kind"] == "tool-call"
            }
        else:
            for part in message["parts"]:
                calls.pop(part.get("tool_call_id", ""), None)
    return list(calls.values())


def without_prompts(messages: str, withdrawn: Iterable[str]) -> str:
    """Stored messages (JSON) with a mark in the place of each prompt with these words, once for each."""
    read: list[Message] = json.loads(messages)
    parts = [part for message in read for part in message["parts"] if part["part_kind"] == "user-prompt"]
    for words in withdrawn:
        found = next((part for part in parts if part["content"] == words), None)
        if found is not None:
            found["content"] = WITHDRAWN_MARK
    return json.dumps(read)


def recent(chunks: Iterable[Stored], limit: int) -> tuple[list[Message], bool]:
    """The newest whole turns that have `limit` estimated tokens or less, the last one in any case, out of chunks given
    newest first; and whether anything is left out. Reads no further than it must.

    A turn begins with the message that started a run. A run that tries another again goes with that one.
    """
    kept: list[str] = []
    turn: list[str] = []
    length = 0
    for chunk, older in pairwise(chain(chunks, (None,))):
        assert chunk is not None  # only the last of all is
        turn.append(chunk.messages)
        length += len(chunk.messages)
        if kept and length > limit * CHARACTERS_A_TOKEN:
            return _parsed(kept), True
        if (older is None or older.run != chunk.run) and _begins(chunk.messages):
            kept, turn = kept + turn, []
    return _parsed(kept + turn), False


def _begins(chunk: str) -> bool:
    """Whether a run's first chunk begins with a person's message, change notes aside, and not with a mark."""
    first: Message = json.loads(chunk)[0]
    prompts = [str(part["content"]) for part in first["parts"] if part["part_kind"] == "user-prompt"]
    said = [prompt for prompt in prompts if not prompt.startswith("<workspace-changes>")]
    return first["kind"] == "request" and bool(said) and said[0].startswith("<message ")


def _parsed(newest_first: Iterable[str]) -> list[Message]:
    return [message for chunk in reversed(list(newest_first)) for message in json.loads(chunk)]


def tail(chunks: Iterable[Stored]) -> list[Message]:
    """The messages from the last response on, out of chunks given newest first."""
    found: list[Message] = []
    for chunk in chunks:
        messages: list[Message] = json.loads(chunk.messages)
        found = messages + found
        if any(message["kind"] == "response" for message in messages):
            break
    return found
