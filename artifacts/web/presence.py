"""Who has an artifact before them, and who is editing it.

Best effort: nothing of it is stored. A socket says that somebody is there for as long as it is open; a small post says
it for `SEEN_SECONDS`, and whether they are editing. Each process tells the others whom it has in a room whenever that
changes; whom it told of counts until it tells something else, or is not heard of any more.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from artifacts.core.actors import Actor
from artifacts.relay import CAME, GONE, relay

SEEN_SECONDS = 40.0
"""For how long a post counts; pages repeat it more often."""

type Heard = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Present:
    """One person who is there."""

    id: str
    name: str
    editing: bool


@dataclass(frozen=True, slots=True)
class Stay:
    """That somebody is there, until some moment of the monotonic clock."""

    who: Present
    until: float


@dataclass(slots=True)
class Room:
    """One artifact's readers: by socket, by post until some moment of the monotonic clock, and by other process."""

    sockets: Counter[Actor] = field(default_factory=Counter)
    seen: dict[Actor, float] = field(default_factory=dict)
    editing: set[Actor] = field(default_factory=set)
    listeners: list[Heard] = field(default_factory=list)
    elsewhere: dict[str, list[Stay]] = field(default_factory=dict)

    def here(self) -> list[Stay]:
        """Whom this process has there. Who edits does so until their page should have said it again."""
        open = [Stay(Present(actor.id, actor.name, editing=False), math.inf) for actor in self.sockets]
        said = [
            Stay(Present(actor.id, actor.name, actor in self.editing), until)
            for actor, until in self.seen.items()
        ]
        return open + said

    def everybody(self) -> list[Stay]:
        """Whom any process has there."""
        return [*self.here(), *(stay for stays in self.elsewhere.values() for stay in stays)]

    def forget(self, now: float) -> None:
        """Leave out whose time is over."""
        self.seen = {actor: until for actor, until in self.seen.items() if until > now}
        self.editing &= self.seen.keys()
        for by, stays in list(self.elsewhere.items()):
            self.elsewhere[by] = [stay for stay in stays if stay.until > now]
            if not self.elsewhere[by]:
                del self.elsewhere[by]


_lock = Lock()
_rooms: dict[str, Room] = {}


def present(artifact: str) -> list[Present]:
    """Who is there now, by name."""
    with _lock:
        room = _rooms.get(artifact, Room())
        room.forget(time.monotonic())
        found = [stay.who for stay in room.everybody()]
    people = {one.id: one for one in sorted(found, key=lambda one: one.editing)}  # who edits somewhere, edits
    return sorted(people.values(), key=lambda one: (one.name, one.id))


def seconds_until_change(artifact: str) -> float | None:
    """When somebody's time will be over, if nothing else happens; None for never."""
    with _lock:
        room = _rooms.get(artifact)
        ends = [stay.until for stay in room.everybody() if stay.until < math.inf] if room else []
    return max(0.0, min(ends) - time.monotonic()) if ends else None


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
        _tell(artifact, room)


def _enter(artifact: str, actor: Actor, heard: Heard) -> None:
    with _lock:
        room = _rooms.setdefault(artifact, Room())
        room.sockets[actor] += 1
        room.listeners.append(heard)
    _tell(artifact, room)


def _leave(artifact: str, actor: Actor, heard: Heard) -> None:
    with _lock:
        room = _rooms[artifact]
        room.sockets -= Counter([actor])
        room.listeners.remove(heard)
        if actor not in room.sockets:
            room.seen.pop(actor, None)
        _sweep(time.monotonic())
    _tell(artifact, room)


def _sweep(now: float) -> None:
    """Forget the rooms that everybody has left. Called under the lock."""
    for artifact, room in list(_rooms.items()):
        room.forget(now)
        if not room.sockets and not room.seen and not room.elsewhere:
            del _rooms[artifact]


def _tell(artifact: str, room: Room) -> None:
    """Tell those who listen here, and the other processes."""
    _say(artifact, room)
    for heard in list(room.listeners):
        heard()


HERE = "here"


def _say(artifact: str, room: Room) -> None:
    now = time.monotonic()
    stays = [
        [*_plain(stay.who), None if stay.until == math.inf else stay.until - now] for stay in room.here()
    ]
    relay.say(HERE, [artifact, stays])


def _plain(who: Present) -> tuple[str, str, bool]:
    return who.id, who.name, who.editing


def _hear(by: str, said: Any) -> None:
    """Another process says whom it has in a room, and for how many seconds more."""
    artifact, stays = said
    now = time.monotonic()
    with _lock:
        room = _rooms.setdefault(artifact, Room())
        room.elsewhere[by] = [
            Stay(Present(id, name, editing), math.inf if seconds is None else now + seconds)
            for id, name, editing, seconds in stays
        ]
        _sweep(now)
    for heard in list(room.listeners):
        heard()


def _introduce(by: str, said: Any) -> None:
    """Another process has come: tell it whom we have."""
    with _lock:
        rooms = [(artifact, room) for artifact, room in _rooms.items() if room.here()]
    for artifact, room in rooms:
        _say(artifact, room)


def _forget(by: str, said: Any) -> None:
    """Another process has gone, and whom it had with it."""
    with _lock:
        known = [artifact for artifact, room in _rooms.items() if by in room.elsewhere]
    for artifact in known:
        _hear(by, [artifact, []])


relay.hearing(HERE, _hear)
relay.hearing(CAME, _introduce)
relay.hearing(GONE, _forget)
