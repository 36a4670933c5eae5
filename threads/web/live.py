"""What a run is writing, as HTML: rendered once in this process for all who watch, sent to each from where they are."""

import time
from dataclasses import dataclass, field
from html import escape
from weakref import WeakValueDictionary

from django.template.loader import render_to_string

from artifacts.web.prose import LIMIT
from threads.live import LivePart, LiveRun
from threads.web.streaming import Growth, Position, Stream

TEXT, DRAFT, THINKING, NOTICE = "text", "draft", "thinking", "notice"
PLAIN = (THINKING, NOTICE)

LINGER_SECONDS = 0.5
"""How long words stay that are no longer live: the message that replaces them may still be on its way here."""


@dataclass(slots=True)
class Part:
    """One live part and its stream. Thinking and notices are plain text: their stream is one piece that grows.

    `drawn` is what was sent to bring somebody up to date, by what they had: others who had the same get the same.
    """

    id: str
    kind: str
    title: str = ""
    stream: Stream = field(default_factory=Stream)
    plain: str = ""
    drawn: "dict[Held | None, str]" = field(default_factory=dict)
    position: "Held" = field(init=False)
    """Where somebody is who has all of it."""

    def __post_init__(self) -> None:
        self.position = self._position()

    def take(self, part: LivePart) -> None:
        """Take over what the part has become."""
        if self.kind in PLAIN:
            self.plain = part.text[:LIMIT]
        elif part.draft is not None:
            self.title = part.draft["title"]
            self.stream.grow(part.draft["text"])
        else:
            self.stream.grow(part.text)
        if (now := self._position()) != self.position:
            self.position, self.drawn = now, {}

    def since(self, had: "Held | None") -> str:
        """What brings somebody up to date who had this of the part."""
        if had not in self.drawn:
            self.drawn[had] = _lacking(self, had)
        return self.drawn[had]

    def _position(self) -> "Held":
        return Held(self.stream.position, len(self.plain), self.title, self.kind)


@dataclass(frozen=True, slots=True)
class Held:
    """What one watcher has of a part."""

    position: Position
    plain: int
    title: str
    kind: str


@dataclass(slots=True, weakref_slot=True)
class LiveView:
    """The parts of one thread's run as they are shown."""

    parts: dict[str, Part] = field(default_factory=dict)
    _taken: tuple[LiveRun, int] | None = None

    def take(self, run: LiveRun | None) -> dict[str, Part]:
        """Take over what the run has produced, forget what is durable, and return the parts that there are now."""
        now = None if run is None else (run, run.changes)
        if now is None or now != self._taken:
            live = {} if run is None else run.parts
            self.parts = {id: self.parts.get(id) or Part(id, part.kind) for id, part in live.items()}
            for id, part in live.items():
                self.parts[id].take(part)
            self._taken = now
        return self.parts


_views: WeakValueDictionary[str, LiveView] = WeakValueDictionary()


def view_of(thread_id: str) -> LiveView:
    """The view that everyone in this process shares who watches this thread."""
    view = _views.get(thread_id)
    if view is None:
        view = _views[thread_id] = LiveView()
    return view


@dataclass(slots=True)
class Watcher:
    """What one socket was sent of the live parts, and which of them it must not get again."""

    held: dict[str, Held] = field(default_factory=dict)
    durable: frozenset[str] = frozenset()
    lingering: dict[str, float] = field(default_factory=dict)

    def seconds_left(self) -> float | None:
        """When something is to be taken away if nothing else happens; None for never."""
        return max(0.01, min(self.lingering.values()) - time.monotonic()) if self.lingering else None

    def removals(self, parts: dict[str, Part], durable: frozenset[str] = frozenset()) -> str:
        """Take away what this page has and should not have: what became durable or is no longer written."""
        self.durable = (self.durable & set(parts)) | durable
        gone = [id for id in self.held if id in self.durable or (id not in parts and not self._lingers(id))]
        for id in gone:
            del self.held[id]
        self.lingering = {id: until for id, until in self.lingering.items() if id in self.held}
        return "".join(f'<i id="part-{id}" hx-swap-oob="delete"></i>' for id in gone)

    def _lingers(self, id: str) -> bool:
        if self.held[id].kind not in (TEXT, THINKING):
            return False
        now = time.monotonic()
        return self.lingering.setdefault(id, now + LINGER_SECONDS) > now

    def additions(self, parts: dict[str, Part]) -> str:
        """What this page lacks."""
        return "".join(self._addition(part) for id, part in parts.items() if id not in self.durable)

    def _addition(self, part: Part) -> str:
        had, now = self.held.get(part.id), part.position
        self.held[part.id] = now
        return part.since(had) if had != now else ""


def _lacking(part: Part, had: Held | None) -> str:
    if had is None:
        return begun(part)
    title = retitled(part) if had.title != part.title else ""
    if part.kind in PLAIN:
        return _appended(f"part-{part.id}-text", escape(part.plain[had.plain :]))
    growth = part.stream.since(had.position)
    return title + (grown(part, growth) if growth else "")


def begun(part: Part) -> str:
    """A part's element, with all there is of it."""
    context = {"part": part, "growth": part.stream.since(None), "in_code": part.stream.in_code}
    return render_to_string("threads/_live.html", context)


def grown(part: Part, growth: Growth) -> str:
    """What came to a part that the page has."""
    context = {"part": part, "growth": growth, "in_code": part.stream.in_code}
    return render_to_string("threads/_live.html#growth", context)


def retitled(part: Part) -> str:
    """A draft's new title."""
    return render_to_string("threads/_live.html#title", {"part": part, "oob": True})


def _appended(target: str, html: str) -> str:
    return f'<div hx-swap-oob="beforeend:#{target}">{html}</div>' if html else ""
