"""What a thread looks like in a terminal: a line or a few for each event, and text as it is written.

What models, people and files write is shown inert: without the control characters that a terminal obeys.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from artifacts.core import events as artifact_events
from artifacts.core.envelope import Envelope
from threads.core import events
from threads.live import LivePart

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ARGUMENTS_LENGTH = 200

type Data = Mapping[str, Any]
WENT_ON = {"continue": "The agent goes on after a restart.", "retry": "Tried again."}


def inert(text: str) -> str:
    """`text` without what a terminal would obey."""
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


class Screen:
    """Writes to a terminal. One text at a time is in the middle of its line."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._shown: dict[str, str] = {}
        self._durable: set[str] = set()
        self._open = ""

    def line(self, text: str) -> None:
        """A line of its own."""
        self._close()
        self._write(f"{inert(text)}\n")

    def live(self, parts: Iterable[LivePart]) -> None:
        """What came to the live parts since the last time. One that an event has brought is not shown again."""
        for part in parts:
            if part.id in self._durable:
                continue
            if part.kind == "text":
                self._grow(part)
            elif part.id not in self._shown:
                self._shown[part.id] = ""
                self.line(_said_of(part))

    def event(self, event: Envelope) -> None:
        """What an event says to people, if it says anything."""
        if event.type == events.AGENT_RESPONDED:
            self._responded(event.data)
        else:
            for line in _lines(event):
                self.line(line)

    def _grow(self, part: LivePart) -> None:
        shown, text = self._shown.get(part.id, ""), part.text
        if text == shown:
            return
        if self._open != part.id:
            self._close()
            self._write("Agent: ")
            self._open = part.id
        self._write(inert(text[len(shown) :]))
        self._shown[part.id] = text

    def _responded(self, data: Mapping[str, Any]) -> None:
        """The rest of a text that was seen while it was written, or all of it."""
        parts = data.get("parts", ())
        self._durable.update(parts)
        shown = "\n\n".join(text for id in parts if (text := self._shown.pop(id, "")))
        text = data.get("text") or ""
        if shown and text.startswith(shown):
            self._write(inert(text[len(shown) :]))
            self._close()
        elif text:
            self.line(f"Agent: {text}")

    def _close(self) -> None:
        if self._open:
            self._write("\n")
            self._open = ""


def _said_of(part: LivePart) -> str:
    match part.kind:
        case "draft":
            return f"· writes “{part.draft['title'] if part.draft else ''}”"
        case "thinking":
            return "· thinks"
        case _:
            return f"· {part.text}"


def _lines(event: Envelope) -> list[str]:
    said = SAID.get(event.type)
    return said(event.data, event.actor.name) if said else []


def _went_on(data: Data, name: str) -> list[str]:
    return [f"· {WENT_ON[data['trigger']]}"] if data["trigger"] in WENT_ON else []


def _returned(data: Data, name: str) -> list[str]:
    return [] if data["outcome"] == "success" else [f"· … {data['outcome']}: {_brief(data['content'])}"]


def _asked(data: Data, name: str) -> list[str]:
    return [f"? {data['question']}", *(f"    {n}. {choice}" for n, choice in enumerate(data["choices"], 1))]


def _named(data: Data, name: str) -> list[str]:
    return [f"· “{data['title']}”, version {data['version']}"]


def approval(tool: str, arguments: Any, artifacts: Iterable[Mapping[str, Any]]) -> list[str]:
    """An approval that is asked: all of its arguments, and the artifacts that it is about."""
    about = [f"    about “{named['title']}”, version {named['version']}" for named in artifacts]
    written = json.dumps(arguments, ensure_ascii=False)
    return [f"! asks leave for {tool} {written}", *about, "    yes, or no and why"]


def _ended(data: Data, name: str) -> list[str]:
    usage = data.get("usage") or {}
    tokens = int(usage.get("input_tokens", 0) + usage.get("output_tokens", 0))
    used = f"{usage.get('requests', 0)} requests, {tokens:,} tokens"
    said = f": {data['reason']}" if data.get("reason") else ""
    return [f"· {data['outcome']}{said} ({used})"]


def _reason(data: Data) -> str:
    said = data.get("answer") or data.get("reason")
    return f": {said}" if said and data.get("message") is None else ""


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= ARGUMENTS_LENGTH else f"{text[:ARGUMENTS_LENGTH]}…"


SAID: dict[str, Callable[[Data, str], list[str]]] = {
    events.MESSAGE_POSTED: lambda data, name: [f"{name}: {data['content']}"],
    events.RUN_STARTED: _went_on,
    events.CHANGES_TOLD: lambda data, name: [f"· was told: {note}" for note in data["notes"]],
    events.TOOL_CALLED: lambda data, name: [f"· {data['tool']} {_brief(data['arguments'])}"],
    events.TOOL_RETURNED: _returned,
    events.QUESTION_ASKED: _asked,
    events.APPROVAL_ASKED: lambda data, name: approval(data["tool"], data["arguments"], data["artifacts"]),
    events.REQUEST_ANSWERED: lambda data, name: [f"· {name} {data['decision']} it{_reason(data)}"],
    events.STOP_REQUESTED: lambda data, name: [f"· {name} stops it"],
    events.RUN_ENDED: _ended,
    artifact_events.ARTIFACT_CREATED: _named,
    artifact_events.ARTIFACT_EDITED: _named,
}
"""The lines for each event that says something, made from its data and its actor's name."""
