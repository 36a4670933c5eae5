"""A page in one process shows a run in another: what it produces is told in frames, and mirrored where it is watched.

A frame says of each part what came to it and from which offset on. Whoever watches asks for all of it so far, as they
begin and whenever a frame does not follow on what they have. Frames may be lost: the durable message repairs the view.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from artifacts.relay import BACK, GONE, relay
from threads.live import DraftView, Hub, LivePart, LiveRun, hub

EVERY_SECONDS = 0.04
"""Between two frames of a run: what comes meanwhile is told together."""

STALE_SECONDS = 3.0
"""After frames were lost, what nobody tells of again is over."""

FRAME, SO_FAR = "frame", "so far"


@dataclass(slots=True)
class Told:
    """What the other processes were told of one run: of each part its text, in characters, and its draft."""

    run: LiveRun
    at: float = 0.0
    due: asyncio.TimerHandle | None = None
    texts: dict[str, int] = field(default_factory=dict)
    drafts: dict[str, DraftView | None] = field(default_factory=dict)

    def news(self, *, so_far: bool = False) -> dict[str, Any] | None:
        """A frame of what they lack, or of everything; None if they lack nothing."""
        gone = [id for id in self.texts if id not in self.run.parts]
        if so_far:
            self.texts, self.drafts = {}, {}
        for id in gone:
            self.texts.pop(id, None)
            self.drafts.pop(id, None)
        parts = [news for part in self.run.parts.values() if (news := self._of(part))]
        if not (parts or gone or so_far):
            return None
        return {"run": self.run.id, "parts": parts, "gone": gone, "so_far": so_far}

    def _of(self, part: LivePart) -> list[Any] | None:
        """A part's id, kind, offset, text from there on, and, of a draft, its other fields."""
        begun, had = part.id in self.texts, self.texts.get(part.id, 0)
        if part.kind == "draft":
            return self._of_draft(part, begun=begun)
        text = part.text
        if begun and len(text) == had:
            return None
        self.texts[part.id] = len(text)
        return [part.id, part.kind, had, text[had:], None]

    def _of_draft(self, part: LivePart, *, begun: bool) -> list[Any] | None:
        before, now = self.drafts.get(part.id), part.draft
        if begun and now is before:
            return None
        self.texts[part.id], self.drafts[part.id] = 0, now
        view: dict[str, Any] = {**now} if now is not None else {}
        text = str(view.pop("text", ""))
        offset = len(before["text"]) if before is not None and text.startswith(before["text"]) else 0
        return [part.id, part.kind, offset, text[offset:], view]


class Mirroring:
    """Tells other processes of the runs here, and mirrors theirs."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._told: dict[str, Told] = {}
        self._from: dict[str, str] = {}

    def changed(self, thread_id: str) -> None:
        """Tell of it, soon. Nobody is told where there is no other process."""
        run, told = self._hub.own(thread_id), self._told.get(thread_id)
        if told is not None and told.run is not run:
            self._end(thread_id, told)
            told = None
        if run is None or not relay.others:
            return
        if told is None:
            told = self._told[thread_id] = Told(run)
        if told.due is None:
            loop = asyncio.get_running_loop()
            wait = max(0.0, told.at + EVERY_SECONDS - loop.time())
            told.due = loop.call_later(wait, self._tell_news, thread_id, told)

    def watched(self, thread_id: str) -> None:
        """Ask for what runs elsewhere so far, and hear what comes."""
        relay.join(room_of(thread_id))
        relay.say(SO_FAR, thread_id)

    def unwatched(self, thread_id: str) -> None:
        """Hear no more of it."""
        self._from.pop(thread_id, None)
        relay.leave(room_of(thread_id))

    def _tell_news(self, thread_id: str, told: Told) -> None:
        told.at, told.due = asyncio.get_running_loop().time(), None
        self._tell(thread_id, told)

    def _tell(self, thread_id: str, told: Told, *, so_far: bool = False) -> None:
        if (frame := told.news(so_far=so_far)) is not None:
            relay.say(FRAME, {"thread": thread_id, **frame}, room_of(thread_id))

    def _end(self, thread_id: str, told: Told) -> None:
        if told.due is not None:
            told.due.cancel()
        del self._told[thread_id]
        relay.say(FRAME, {"thread": thread_id, "run": told.run.id, "over": True}, room_of(thread_id))

    def hear_question(self, by: str, thread_id: str) -> None:
        """Another process asks for what a run here produced so far."""
        if (run := self._hub.own(thread_id)) is not None:
            told = self._told.get(thread_id)
            if told is None or told.run is not run:
                told = self._told[thread_id] = Told(run)
            self._tell(thread_id, told, so_far=True)

    def hear_frame(self, by: str, frame: dict[str, Any]) -> None:
        """Another process tells of a run."""
        thread_id = frame["thread"]
        if not self._hub.is_watched(thread_id):
            return
        shown = self._hub.get(thread_id) if self._hub.own(thread_id) is None else None
        if frame.get("over"):
            if shown is not None and shown.id == frame["run"]:
                self._hub.mirror(thread_id, None)
            return
        run = shown if shown is not None and shown.id == frame["run"] else None
        if run is None or frame["so_far"]:
            run = LiveRun(thread_id, self._hub, frame["run"])
        if not all(_apply(run, *news) for news in frame["parts"]):
            relay.say(SO_FAR, thread_id)
            return
        for id in frame["gone"]:
            run.parts.pop(id, None)
        self._from[thread_id] = by
        self._hub.mirror(thread_id, run)

    def hear_back(self, by: str, said: object) -> None:
        """Frames were lost: those who watch here ask again, and what runs here is told whole."""
        loop = asyncio.get_running_loop()
        for thread_id in self._hub.watched():
            loop.call_later(STALE_SECONDS, self._drop_stale, thread_id, self._hub.get(thread_id))
            relay.say(SO_FAR, thread_id)
        for thread_id in self._hub.threads():
            self.hear_question(by, thread_id)

    def _drop_stale(self, thread_id: str, run: LiveRun | None) -> None:
        if run is not None and self._hub.get(thread_id) is run and self._hub.own(thread_id) is None:
            self._hub.mirror(thread_id, None)

    def hear_gone(self, by: str, said: object) -> None:
        """A process is gone: what is shown of its runs goes with it."""
        for thread_id in [thread_id for thread_id, source in self._from.items() if source == by]:
            del self._from[thread_id]
            self._hub.mirror(thread_id, None)


def room_of(thread_id: str) -> str:
    """Where a thread's frames are told."""
    return f"live.{thread_id}"


def _apply(run: LiveRun, id: str, kind: Any, offset: int, text: str, draft: dict[str, Any] | None) -> bool:
    """Add to a part; False if something before it is missing."""
    part = run.part(id, kind)
    had = part.draft["text"] if part.draft is not None else part.text
    if offset > len(had):
        return False
    if draft is None:
        part.grow(text[len(had) - offset :])
    elif draft:
        part.draft = DraftView(**{**draft, "text": had[:offset] + text})  # type: ignore[typeddict-item]  # as sent
    return True


def connect() -> None:
    """Take part in the relay with this process' hub."""
    mirroring = hub.outside = Mirroring(hub)
    relay.hearing(FRAME, mirroring.hear_frame)
    relay.hearing(SO_FAR, mirroring.hear_question)
    relay.hearing(BACK, mirroring.hear_back)
    relay.hearing(GONE, mirroring.hear_gone)
