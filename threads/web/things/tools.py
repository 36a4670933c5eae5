"""Tool calls as rows that fold, and what the agent was told of others' changes."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from artifacts.core.envelope import Envelope
from threads.core import events
from threads.core.history import DEFERRED

LIMIT = 6_000
"""Characters of arguments or of a result that a row shows at once."""

FIELDS = 40
"""How many arguments are named although there is no room for their values."""

NAME = 100
GIST = 90
NAMES = ("title", "goal", "question", "old", "summary")
"""The fields that say best what a call is about, if it has them."""

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")

STATES = {
    "success": ("done", "done"),
    "failed": ("failed", "failed"),
    "denied": ("failed", "declined"),
    "retried": ("failed", "to be tried again"),
    "interrupted": ("failed", "interrupted"),
    "deferred": ("done", "asked first"),
}


def called(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """A tool call: running until its return."""
    returned = about.get(events.TOOL_RETURNED)
    outcome = str(returned.data["outcome"]) if returned else ""
    state, word = STATES.get(outcome, ("done", outcome)) if returned else ("running", "running")
    return {
        "tool": event.data["tool"][:NAME],
        "gist": _gist(event.data["arguments"]),
        "state": state,
        "word": word,
        "arguments": laid_out(event.data["arguments"], LIMIT),
        "returned": returned,
        "result": cut(verbatim(returned.data["content"])) if returned and outcome != DEFERRED else None,
    }


def told(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """Change notes, word for word as the agent got them."""
    return {"notes": [cut(note)[0] for note in event.data["notes"][:50]], "count": len(event.data["notes"])}


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Every text in some arguments, with the name of its field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(str(key), item)


def laid_out(arguments: Any, limit: int) -> list[tuple[str, str, int]]:
    """All arguments by name, fields of fields too, each word for word with how many characters are missing.

    `limit` is shared by all of them, so that what is shown stays bounded however many there are.
    """
    fields = list(_fields("", arguments))
    shown: list[tuple[str, str, int]] = []
    for index, (name, value) in enumerate(fields):
        if limit <= 0 and index >= FIELDS:
            unnamed = sum(len(verbatim(value)) for _, value in fields[index:])
            return [*shown, (f"and {len(fields) - index} more", "", unnamed)]
        text, left = cut(verbatim(value), max(0, limit))
        limit -= len(text) + len(name)
        shown.append((name[:NAME], text, left))
    return shown


def _fields(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        for name, item in value.items():
            yield from _fields(f"{path} › {name}" if path else str(name), item)
    else:
        yield path or "arguments", value


def verbatim(value: Any) -> str:
    """A value as people read it: text as it is, else JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def cut(text: str, limit: int = LIMIT) -> tuple[str, int]:
    """The beginning of a text, and how many characters are missing."""
    return text[:limit], len(text[limit:])


def _gist(arguments: Any) -> str:
    """The first of the arguments that says something to people, on one line."""
    said = {name: text for name, text in _texts("", arguments) if text.strip() and not UUID.fullmatch(text)}
    named = [said[name] for name in NAMES if name in said]
    line = " ".join([*named, *said.values(), ""][0].split())
    return line if len(line) <= GIST else line[: GIST - 1] + "…"
