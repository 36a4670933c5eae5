"""Who has an artifact before them, and who is editing it.

Best effort and in process: nothing of it is stored, and those whom another process serves are not seen. A socket says
that somebody is there for as long as it is open; a small post says it for `SEEN_SECONDS`, and whether they are editing.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock

from artifacts.core.actors import Actor

SEEN_SECONDS = 40.0
"""For how long a post counts; pages repeat it more often."""

type Heard = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Present:
    """One person who is there."""

    id: str
    name: str
    editing: bool


@dataclass(slots=True)
class Room:
    """One artifact's readers: by socket, and by post until some moment of the monotonic clock."""

    sockets: Counter[Actor] = field(default_factory=Counter)
    seen: dict[Actor, float] = field(default_factory=dict)
    editing: set[Actor] = field(default_factory=set)
    listeners: list[Heard] = field(default_factory=list)

    def forget(self, now: float) -> None:
        """Leave out whose time is over."""
        self.seen = {actor: until for actor, until in self.seen.items() if until > now}
        self.editing &= self.seen.keys()


_lock = Lock()
_rooms: dict[str, Room] = {}


def present(artifact: str) -> list[Present]:
    """Who is there now, by name."""
    with _lock:
        room = _rooms.get(artifact, Room())
        room.forget(time.monotonic())
        here = {*room.sockets, *room.seen}
        return [
            Present(actor.id, actor.name, actor in room.editing)
            for actor in sorted(here, key=lambda actor: (actor.name, actor.id))
        ]


def seconds_until_change(artifact: str) -> float | None:
    """When somebody's time will be over, if nothing else happens; None for never."""
    with _lock:
        room = _rooms.get(artifact)
        return max(0.0, min(room.seen.values()) - time.monotonic()) if room and room.seen else None


@contextmanager
def attending(artifact: str, actor: Actor, heard: Heard) -> Iterator[None]:
    """Be there, and call `heard`, in any thread, whenever somebody comes, goes, begins to edit or ends."""
    _enter(artifact, actor, heard)
    try:
        yield
    finally:
        _leave(artifact, actor, heard)


def seen(artifact: str, actor: Actor, *, editing: bool) -> None:
    """Somebody's page says that it shows the artifact, and whether they are editing it there."""
    now = time.monotonic()
    with _lock:
        room = _rooms.setdefault(artifact, Room())
        before = (actor in room.seen, actor in room.editing)
        room.forget(now)
        room.seen[actor] = now + SEEN_SECONDS
        (room.editing.add if editing else room.editing.discard)(actor)
        changed = before != (True, editing)
        _sweep(now)
    if changed:
        _tell(room)


def _enter(artifact: str, actor: Actor, heard: Heard) -> None:
    with _lock:
        room = _rooms.setdefault(artifact, Room())
        room.sockets[actor] += 1
        room.listeners.append(heard)
    _tell(room)


def _leave(artifact: str, actor: Actor, heard: Heard) -> None:
    with _lock:
        room = _rooms[artifact]
        room.sockets -= Counter([actor])
        room.listeners.remove(heard)
        if actor not in room.sockets:
            room.seen.pop(actor, None)
        _sweep(time.monotonic())
    _tell(room)


def _sweep(now: float) -> None:
    """Forget the rooms that everybody has left. Called under the lock."""
    for artifact, room in list(_rooms.items()):
        room.forget(now)
        if not room.sockets and not room.seen:
            del _rooms[artifact]


def _tell(room: Room) -> None:
    for heard in list(room.listeners):
        heard()
