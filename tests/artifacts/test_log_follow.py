"""`log.follow` under driven races: nothing is missed and nothing comes twice, however announcements come.

Commits of "another process" are made here without announcing them. Polls are made rare where an announcement must
suffice, and `POLL_SECONDS` short where only the poll can find something.
"""

import asyncio
import random
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from artifacts import announcing, log
from artifacts.core.actors import SYSTEM
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.log import Window
from artifacts.models import Workspace
from tests.shares import share

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

NEVER, SOON = 3_600.0, 0.01


@pytest.fixture
def place(transactional_db: None) -> str:
    return str(Workspace.objects.create(name="Place").pk)


@pytest.fixture
def polls(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Say how often followers poll."""
    return lambda seconds: monkeypatch.setattr(log, "POLL_SECONDS", seconds)


class Elsewhere:
    """Commits whose announcements are held back, until the test lets them out, in whatever order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.held: list[tuple[str, list[Envelope]]] = []
        self._announce = announcing.announce
        monkeypatch.setattr(announcing, "announce", lambda *announcement: self.held.append(announcement))

    def let_out(self, *which: int) -> None:
        for number in which:
            self._announce(*self.held[number])


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    return Elsewhere(monkeypatch)


def say(place: str, count: int = 1) -> None:
    def decide(entry: log.Entry) -> None:
        for _ in range(count):
            entry.append("said", {})

    log.write(place, SYSTEM, decide)


class Follower:
    """Follows in a task of its own; `seqs` is what came, `windows` how."""

    def __init__(self, place: str, after: int = 0) -> None:
        self.windows: list[Window] = []
        self._grown = asyncio.Condition()
        self._task = asyncio.create_task(self._follow(log.follow(place, after)))

    @property
    def seqs(self) -> list[int]:
        return [event.seq for window in self.windows for event in window.events]

    async def _follow(self, windows: AsyncIterator[Window]) -> None:
        async for window in windows:
            async with self._grown:
                self.windows.append(window)
                self._grown.notify_all()

    async def until(self, predicate: Callable[["Follower"], bool]) -> None:
        async with self._grown:
            await asyncio.wait_for(self._grown.wait_for(lambda: predicate(self)), 20)

    async def has(self, head: int) -> None:
        await self.until(lambda it: bool(it.windows) and it.windows[-1].head >= head)

    async def __aenter__(self) -> "Follower":
        await self.until(lambda it: bool(it.windows))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


async def test_what_was_written_before_comes_first_and_then_what_is_written(
    place: str, polls: Callable[[float], None]
) -> None:
    polls(NEVER)
    await in_database(say, place, 3)
    async with Follower(place, after=1) as follower:
        for _ in range(3):
            await in_database(say, place, 2)
        await follower.has(9)
    assert follower.seqs == [2, 3, 4, 5, 6, 7, 8, 9]


async def test_a_backlog_of_many_reads_comes_without_waiting(
    place: str, polls: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    polls(NEVER)
    monkeypatch.setattr(log, "READ_LIMIT", 10)
    await in_database(say, place, 35)
    async with Follower(place) as follower:
        await follower.has(35)
    assert follower.seqs == list(range(1, 36))


async def test_a_commit_during_the_first_read_is_not_missed(
    place: str, polls: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    polls(NEVER)
    head = log.head

    def overtaken(workspace: str) -> int:
        found = head(workspace)
        monkeypatch.setattr(log, "head", head)
        say(place)
        return found

    monkeypatch.setattr(log, "head", overtaken)
    async with Follower(place) as follower:
        await follower.has(1)
    assert follower.seqs == [1]


async def test_a_commit_between_a_window_and_the_wait_is_not_missed(
    place: str, polls: Callable[[float], None]
) -> None:
    polls(NEVER)
    seqs: list[int] = []
    async with aclosing(log.follow(place, 0)) as windows:  # type: ignore[type-var]  # it is a generator
        async with asyncio.timeout(20):
            async for window in windows:
                seqs += [event.seq for event in window.events]
                if window.head == 5:
                    break
                await in_database(say, place)  # announced while nobody waits
    assert seqs == [1, 2, 3, 4, 5]


async def test_who_wrote_last_does_not_read_at_first(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    await in_database(say, place, 2)
    monkeypatch.setattr(log, "read", None)
    async with aclosing(log.follow_own(place, 2)) as windows:  # type: ignore[type-var]  # it is a generator
        assert await anext(windows) == Window([], 2)


async def test_who_wrote_reads_what_was_written_since(place: str) -> None:
    await in_database(say, place, 2)
    await in_database(say, place)
    async with aclosing(log.follow_own(place, 2)) as windows:  # type: ignore[type-var]  # it is a generator
        assert [event.seq for event in (await anext(windows)).events] == [3]


async def test_a_commit_of_another_process_is_found_by_the_poll(
    place: str, polls: Callable[[float], None], elsewhere: Elsewhere
) -> None:
    polls(SOON)
    async with Follower(place) as follower:
        await in_database(say, place, 2)
        await follower.has(2)
    assert follower.seqs == [1, 2]
    assert len(elsewhere.held) == 1


async def test_a_gap_is_filled_at_once_when_a_later_commit_is_announced(
    place: str, polls: Callable[[float], None], elsewhere: Elsewhere
) -> None:
    polls(NEVER)
    async with Follower(place) as follower:
        for _ in range(3):
            await in_database(say, place)
        elsewhere.let_out(2)
        await follower.has(3)
        elsewhere.let_out(0, 1)
        await in_database(say, place)
        elsewhere.let_out(3)
        await follower.has(4)
    assert follower.seqs == [1, 2, 3, 4]


async def test_a_gap_announced_while_nobody_waits_is_filled_at_once(
    place: str, polls: Callable[[float], None], elsewhere: Elsewhere
) -> None:
    polls(NEVER)
    seqs: list[int] = []
    async with aclosing(log.follow(place, 0)) as windows, asyncio.timeout(20):  # type: ignore[type-var]  # a generator
        async for window in windows:
            seqs += [event.seq for event in window.events]
            if window.head == 2:
                break
            await in_database(say, place)
            await in_database(say, place)
            elsewhere.let_out(1)
            await asyncio.sleep(0.001)  # it arrives
    assert seqs == [1, 2]


async def test_announcements_of_what_was_read_come_to_nothing(
    place: str, polls: Callable[[float], None], elsewhere: Elsewhere
) -> None:
    polls(SOON)
    async with Follower(place) as follower:
        for _ in range(3):
            await in_database(say, place)
        await follower.has(3)
        elsewhere.let_out(2, 0, 1, 1)
        await in_database(say, place)
        await follower.has(4)
    assert follower.seqs == [1, 2, 3, 4]


async def test_other_workspaces_are_not_heard(place: str, polls: Callable[[float], None]) -> None:
    polls(NEVER)
    other = str((await sync_to_async(Workspace.objects.create)(name="Other")).pk)
    async with Follower(place) as follower:
        await in_database(say, other, 3)
        await in_database(say, place)
        await follower.has(1)
    assert follower.seqs == [1]


async def test_what_comes_by_announcement_is_what_is_read(place: str, polls: Callable[[float], None]) -> None:
    polls(NEVER)
    async with Follower(place) as follower:
        await in_database(say, place, 2)
        await follower.has(2)
    read = await in_database(log.read, place)
    assert [event for window in follower.windows for event in window.events] == read.events


async def test_many_followers_poll_by_one_read(
    place: str, polls: Callable[[float], None], monkeypatch: pytest.MonkeyPatch, elsewhere: Elsewhere
) -> None:
    polls(0.2)
    read, reads = log.read, list[object]()

    def counted(*args: Any, **kwargs: Any) -> log.Window:
        reads.append(args)
        return read(*args, **kwargs)

    followers = [Follower(place) for _ in range(30)]
    for follower in followers:
        await follower.until(lambda it: bool(it.windows))
    monkeypatch.setattr(log, "read", counted)
    await in_database(say, place, 3)
    for follower in followers:
        await follower.has(3)
        assert follower.seqs == [1, 2, 3]
    assert len(reads) <= 10
    for follower in followers:
        await follower.__aexit__()
    assert log._reads == {}


async def test_who_goes_away_takes_no_read_from_the_others(
    place: str, polls: Callable[[float], None], elsewhere: Elsewhere
) -> None:
    polls(0.1)
    async with Follower(place) as staying:
        for number in range(1, 6):
            async with Follower(place, after=number - 1):
                await in_database(say, place)
            await staying.has(number)
    assert staying.seqs == [1, 2, 3, 4, 5]


async def test_who_stops_following_is_forgotten(place: str) -> None:
    async with Follower(place):
        assert len(announcing._hearers[place]) == 1
    assert place not in announcing._hearers


@pytest.mark.stress
@pytest.mark.parametrize("seed", range(share(60, 4)))
async def test_nothing_is_missed_and_nothing_comes_twice_whatever_is_announced_when(
    place: str, polls: Callable[[float], None], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Threads write; announcements are lost, late, doubled and out of order, in an order that the seed chooses."""
    polls(SOON)
    chance, announce = random.Random(seed), announcing.announce
    late: list[tuple[str, list[Envelope]]] = []
    lock = threading.Lock()

    def unreliable(*announcement: Any) -> None:
        with lock:
            fate = chance.random()
            if fate > 0.3:  # else it is lost
                late.append(announcement)
            out = [late.pop(chance.randrange(len(late))) for _ in range(len(late)) if chance.random() < 0.5]
            out += out[: chance.random() < 0.2]
        for each in out:
            announce(*each)

    monkeypatch.setattr(announcing, "announce", unreliable)

    async def write() -> None:
        for _ in range(10):
            await asyncio.to_thread(closed(say), place, chance.randrange(1, 4))
            await asyncio.sleep(chance.random() * 0.01)

    async with Follower(place) as one, Follower(place) as other:
        await asyncio.gather(*(write() for _ in range(4)))
        head = await in_database(log.head, place)
        await one.has(head)
        await other.has(head)
    assert one.seqs == other.seqs == list(range(1, head + 1))


def closed(unit: Callable[..., None]) -> Callable[..., None]:
    """A unit for a thread of its own, which keeps no connection."""

    def carried_out(*args: Any) -> None:
        try:
            unit(*args)
        finally:
            connections.close_all()

    return carried_out


def test_a_loop_that_closed_hears_nothing_and_harms_nobody(place: str) -> None:
    loop = asyncio.new_event_loop()
    inbox = announcing.Inbox(loop)
    with announcing.hearing(place, inbox.hear):
        say(place)
        loop.close()
        say(place)
        heard: list[int] = []
        with announcing.hearing(place, lambda _, events: heard.append(len(events))):
            say(place)
    assert heard == [1]


def test_a_loop_that_closes_while_it_is_told_harms_nobody(place: str) -> None:
    loop = asyncio.new_event_loop()
    inbox = announcing.Inbox(loop)
    call = loop.call_soon_threadsafe

    def closed_just_before(*args: Any) -> asyncio.Handle:
        loop.close()
        return call(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "call_soon_threadsafe", closed_just_before)
        inbox.hear(place, [])


def test_an_abandoned_follower_does_not_break_the_commits_after_its_loop(place: str) -> None:
    async def begin() -> None:
        async for _ in log.follow(place, 0):
            return

    asyncio.run(begin())
    say(place)
    assert log.head(place) == 1
