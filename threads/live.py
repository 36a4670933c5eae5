"""Live output of runs: what they produce, before it is durable. Never stored, best effort.

One `LiveRun` a running turn; whoever watches a thread is woken when anything of it changes and then looks at the parts
themselves. All of it happens in one event loop. What runs in another process is mirrored here while somebody watches
it, see `threads.mirroring`.
"""

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, NotRequired, Protocol, TypedDict

type PartKind = Literal["text", "thinking", "draft", "notice"]


class DraftView(TypedDict):
    """An artifact as far as it is written: `text` is its Markdown, `artifact` the id of the one it changes."""

    kind: str
    title: str
    text: str
    artifact: NotRequired[str | None]


@dataclass(slots=True)
class LivePart:
    """A part of the output. Its `text` only grows; `draft` is replaced as a whole."""

    id: str
    kind: PartKind
    draft: DraftView | None = None
    _pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of the text so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def grow(self, piece: str) -> None:
        """Add to the text."""
        self._pieces.append(piece)


class LiveRun:
    """What a turn has produced since its last durable event, by part, in order."""

    def __init__(self, thread_id: str, hub: "Hub", id: str = "") -> None:
        self.id = id or uuid.uuid4().hex[:12]
        self.parts: dict[str, LivePart] = {}
        self.changes = 0
        """How often it changed: who has seen this number has seen all of it."""
        self._thread = thread_id
        self._hub = hub

    def part(self, id: str, kind: PartKind) -> LivePart:
        """The part with this id, begun if it is new."""
        return self.parts.setdefault(id, LivePart(id, kind))

    def grow(self, id: str, kind: PartKind, piece: str) -> None:
        """Add text to a part."""
        if piece:
            self.part(id, kind).grow(piece)
            self._hub.wake(self._thread)

    def show_draft(self, id: str, draft: DraftView) -> None:
        """Replace the draft that a part shows."""
        self.part(id, "draft").draft = draft
        self._hub.wake(self._thread)

    def drop(self, ids: Iterable[str]) -> None:
        """Forget parts that are durable now."""
        for id in ids:
            self.parts.pop(id, None)
        self._hub.wake(self._thread)


class Watch:
    """Somebody who watches a thread."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Let `wait` return."""
        self._changed.set()

    async def wait(self, seconds: float | None = None) -> bool:
        """Whether anything changed since the last call, within `seconds` or, without them, however long it takes."""
        if not self._changed.is_set():
            try:
                await asyncio.wait_for(self._changed.wait(), seconds)
            except TimeoutError:
                return False
        self._changed.clear()
        return True


class Outside(Protocol):
    """Whoever shows live runs to other processes, and theirs here."""

    def changed(self, thread_id: str) -> None:
        """Something of a run in this process changed, or it is over."""

    def watched(self, thread_id: str) -> None:
        """Somebody begins to watch a thread here."""

    def unwatched(self, thread_id: str) -> None:
        """Nobody watches it here any more."""


class Hub:
    """The live runs of this process, and of others as far as they are watched, by thread; and who watches them."""

    def __init__(self) -> None:
        self.outside: Outside | None = None
        self._runs: dict[str, LiveRun] = {}
        self._mirrors: dict[str, LiveRun] = {}
        self._watches: defaultdict[str, set[Watch]] = defaultdict(set)

    def get(self, thread_id: str) -> LiveRun | None:
        """What runs in a thread, as far as this process knows."""
        return self._runs.get(thread_id) or self._mirrors.get(thread_id)

    def own(self, thread_id: str) -> LiveRun | None:
        """What runs in this process in a thread."""
        return self._runs.get(thread_id)

    def threads(self) -> list[str]:
        """The threads that have a run in this process."""
        return list(self._runs)

    def watched(self) -> list[str]:
        """The threads that somebody watches here."""
        return list(self._watches)

    def is_watched(self, thread_id: str) -> bool:
        """Whether anybody watches a thread here."""
        return thread_id in self._watches

    def mirror(self, thread_id: str, run: LiveRun | None) -> None:
        """Show what runs in another process, or that it is over."""
        self._mirrors.pop(thread_id, None)
        if run is not None:
            self._mirrors[thread_id] = run
        self._tell(thread_id)

    @contextmanager
    def running(self, thread_id: str) -> Iterator[LiveRun]:
        """A live run for the duration of a turn."""
        run = self._runs[thread_id] = LiveRun(thread_id, self)
        try:
            yield run
        finally:
            if self._runs.get(thread_id) is run:
                del self._runs[thread_id]
            self.wake(thread_id)

    @contextmanager
    def watch(self, thread_id: str) -> Iterator[Watch]:
        """Be woken by everything live in a thread."""
        watch = Watch()
        if thread_id not in self._watches and self.outside:
            self.outside.watched(thread_id)
        self._watches[thread_id].add(watch)
        try:
            yield watch
        finally:
            self._watches[thread_id].discard(watch)
            if not self._watches[thread_id]:
                del self._watches[thread_id]
                self._mirrors.pop(thread_id, None)
                if self.outside:
                    self.outside.unwatched(thread_id)

    def wake(self, thread_id: str) -> None:
        """Tell whoever watches, here and elsewhere, that something of a run in this process changed."""
        self._tell(thread_id)
        if self.outside:
            self.outside.changed(thread_id)

    def _tell(self, thread_id: str) -> None:
        if (run := self.get(thread_id)) is not None:
            run.changes += 1
        for watch in self._watches.get(thread_id, ()):
            watch.wake()


hub = Hub()
