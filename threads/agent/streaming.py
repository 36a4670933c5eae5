"""A run's stream of events as live output, and the artifacts it writes as drafts."""

import contextlib
import time
from typing import Any

from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolResultEvent,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    ToolReturnPart,
)
from pydantic_core import from_json

from artifacts.core.kinds import kinds
from artifacts.core.text import cleaned
from artifacts.database import AWAY, in_database
from threads.agent.drafts import ArtifactDraft
from threads.agent.history import jsonable
from threads.agent.recorder import Recorder
from threads.agent.session import Session
from threads.live import DraftView
from threads.turns.drafting import Snapshot, store_draft

STORED_EVERY_SECONDS = 2.0
SHOWN_EVERY_SECONDS = 0.04
CREATES = "create_artifact"


class Streaming:
    """Follows the events of one turn. A part is known by the turn, the response's number and its place in it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._prefix = session.claimed.token[:8]
        self._response = 0
        self._calls: dict[int, ToolCallPart] = {}
        self._made: dict[str, ToolCallPart] = {}
        self._writing: dict[str, ToolCallPart | Snapshot] = {}
        self._shown = self._stored = 0.0
        self._notice, self._noticed = "", 0

    def next_response(self) -> None:
        """Another model request begins."""
        self._response += 1
        self._calls = {}

    def responded(self, response: ModelResponse) -> None:
        """The response is whole: its calls, by the ids that they go by."""
        self._made = {part.tool_call_id: part for part in response.parts if isinstance(part, ToolCallPart)}

    def say(self, notice: str) -> None:
        """Say something to those who watch, until the response goes on or the run ends."""
        self._take_back()
        self._noticed += 1
        self._notice = f"{self._prefix}-notice-{self._noticed}"
        self._session.live.grow(self._notice, "notice", notice)

    def _take_back(self) -> None:
        if self._notice:
            self._session.live.drop([self._notice])
            self._notice = ""

    def unfinished(self) -> list[Snapshot]:
        """What is being written, as far as it is."""
        found = [
            written if isinstance(written, Snapshot) else _snapshot(written)
            for written in self._writing.values()
        ]
        return [snapshot for snapshot in found if snapshot]

    async def receive(self, event: AgentStreamEvent, recorder: Recorder) -> None:
        """Show what an event brings."""
        self._take_back()
        match event:
            case (
                PartStartEvent(index=index, part=TextPart(content=text))
                | PartDeltaEvent(index=index, delta=TextPartDelta(content_delta=text))
            ):
                self._grow(index, "text", text)
            case PartStartEvent(index=index, part=ThinkingPart(content=text)):
                self._grow(index, "thinking", text)
            case PartDeltaEvent(index=index, delta=ThinkingPartDelta(content_delta=text)):
                self._grow(index, "thinking", text or "")
            case PartStartEvent(index=index, part=ToolCallPart() as call):
                self._calls[index] = call
                await self._draft(call)
            case PartDeltaEvent(index=index, delta=ToolCallPartDelta() as delta) if index in self._calls:
                grown = delta.apply(self._calls[index])
                assert isinstance(grown, ToolCallPart)  # a delta of a call makes a call
                self._calls[index] = grown
                await self._draft(grown)
            case ArtifactDraft(tool_call_id=str(call)) as draft:
                await self._draft_of_a_tool(call, draft)
            case FunctionToolResultEvent(part=ToolReturnPart() as part):
                self._session.live.drop([self._draft_id(part.tool_call_id)])
                self._writing.pop(part.tool_call_id, None)
                self._note_refused(part, recorder)

    def _grow(self, index: int, kind: Any, text: str) -> None:
        self._session.live.grow(f"{self._prefix}-{self._response}-{index}", kind, cleaned(text))

    async def _draft(self, call: ToolCallPart) -> None:
        """Show what a call that creates an artifact has written so far, and store it now and then."""
        now = time.monotonic()
        if call.tool_name == CREATES:
            self._writing[call.tool_call_id] = call
        if call.tool_name != CREATES or now - self._shown < SHOWN_EVERY_SECONDS:
            return
        self._shown = now
        if (snapshot := _snapshot(call)) is not None:
            await self._show(snapshot)

    async def _draft_of_a_tool(self, call: str, draft: ArtifactDraft) -> None:
        """Show what a tool has written, unless it has committed it meanwhile."""
        if draft.kind in kinds() and call not in self._session.turn.committed:
            data = jsonable(draft.snapshot)
            self._writing[call] = snapshot = Snapshot(call, draft.kind, _title(data), data, draft.artifact_id)
            await self._show(snapshot)

    async def _show(self, snapshot: Snapshot) -> None:
        view: DraftView = {
            "kind": snapshot.kind,
            "title": snapshot.title,
            "text": _text(snapshot.kind, snapshot.data),
            "artifact": snapshot.artifact,
        }
        self._session.live.show_draft(self._draft_id(snapshot.call), view)
        now = time.monotonic()
        if now - self._stored >= STORED_EVERY_SECONDS:
            self._stored = now
            with contextlib.suppress(*AWAY):  # it is stored again in a moment
                await in_database(store_draft, self._session.turn, snapshot)

    def _draft_id(self, call: str) -> str:
        safe = "".join(letter if letter.isalnum() else "-" for letter in call)
        return f"{self._prefix}-draft-{safe}"

    def _note_refused(self, part: ToolReturnPart, recorder: Recorder) -> None:
        if call := self._made.get(part.tool_call_id):
            recorder.refused_call(call, part.outcome, part.content)


def _snapshot(call: ToolCallPart) -> Snapshot | None:
    kind, data = _written(call)
    if data is None or kind not in kinds():
        return None
    return Snapshot(call.tool_call_id, kind, _title(data), jsonable(data))


def _written(call: ToolCallPart) -> tuple[str, dict[str, Any] | None]:
    """The kind and data of a call whose arguments may still be streaming."""
    try:
        arguments = (
            call.args
            if isinstance(call.args, dict)
            else from_json(call.args or "", allow_partial="trailing-strings")
        )
    except ValueError:
        return "", None
    if not isinstance(arguments, dict) or not isinstance(arguments.get("data"), dict):
        return "", None
    return str(arguments.get("kind", "")), arguments["data"]


def _title(data: dict[str, Any]) -> str:
    return cleaned(str(data.get("title") or data.get("goal") or ""))[:200]


def _text(kind: str, data: dict[str, Any]) -> str:
    if (field := kinds()[kind].text_field) is not None:
        return cleaned(str(data.get(field, "")))
    tasks = data.get("tasks") if isinstance(data.get("tasks"), list) else []
    return cleaned("\n".join(f"- {task.get('name', '')}" for task in tasks or [] if isinstance(task, dict)))
