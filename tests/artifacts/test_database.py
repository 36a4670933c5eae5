"""`in_database` and `persistently`: a unit that has begun is waited for, whatever becomes of its caller."""

import asyncio
import select
import threading
from collections.abc import Callable

import pytest
from django.db import Error, InterfaceError, OperationalError, ProgrammingError, connection, transaction

from artifacts import database, log
from artifacts.core.actors import SYSTEM
from artifacts.core.rejections import Forbidden
from artifacts.database import in_database, persistently
from artifacts.models import Workspace
from tests.settings import DATABASE

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


class Held:
    """A unit that begins, and ends when it is let go."""

    def __init__(self, error: Exception | None = None) -> None:
        self._begun, self._free, self._error = threading.Event(), threading.Event(), error
        self.ended = False

    def __call__(self) -> str:
        self._begun.set()
        assert self._free.wait(20)
        self.ended = True
        if self._error:
            raise self._error
        return "done"

    async def begun(self) -> None:
        await asyncio.to_thread(self._begun.wait, 20)

    def let_go(self) -> None:
        self._free.set()


async def some_steps() -> None:
    """The loop comes round a few times."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_unit_returns_what_it_returns_and_raises_what_it_raises() -> None:
    assert await in_database(lambda one, two: (one, two), 1, two=2) == (1, 2)
    for error in (Forbidden("No. Ask."), ValueError("x"), OperationalError("away")):
        with pytest.raises(type(error)) as raised:
            await in_database(_raise, error)
        assert raised.value is error


def _raise(error: Exception) -> None:
    raise error


async def test_units_run_in_threads_of_their_own_and_the_loop_goes_on() -> None:
    held = Held()
    task = asyncio.create_task(in_database(held))
    await held.begun()
    await some_steps()
    assert not task.done()
    held.let_go()
    assert await task == "done"
    assert (await in_database(lambda: threading.current_thread().name)).startswith("database")


@pytest.mark.parametrize("cancels", [1, 2, 3])
async def test_a_cancelled_caller_waits_until_the_unit_has_ended_and_is_then_cancelled(cancels: int) -> None:
    held = Held()
    task = asyncio.create_task(in_database(held))
    await held.begun()
    for number in range(cancels):
        task.cancel(f"cancel {number}")
        await some_steps()
        assert not task.done()
    held.let_go()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert held.ended
    assert task.cancelled()


async def test_a_cancelled_caller_is_cancelled_also_when_the_unit_fails() -> None:
    held = Held(ValueError("lost"))
    task = asyncio.create_task(in_database(held))
    await held.begun()
    task.cancel()
    await some_steps()
    held.let_go()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_who_is_cancelled_before_it_began_is_cancelled_and_nothing_runs() -> None:
    ran: list[bool] = []
    task = asyncio.create_task(in_database(ran.append, True))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ran == []


async def test_a_timeout_ends_after_the_unit_and_says_that_it_was_one() -> None:
    held = Held()

    async def caller() -> None:
        async with asyncio.timeout(0):
            await in_database(held)

    task = asyncio.create_task(caller())
    await held.begun()
    held.let_go()
    with pytest.raises(TimeoutError):
        await task
    assert held.ended


async def test_a_commit_never_happens_after_its_cancelled_caller_ended() -> None:
    place = str((await in_database(Workspace.objects.create, name="Place")).pk)
    held = Held()

    def decide(entry: log.Entry) -> None:
        held()
        entry.append("said", {})

    task = asyncio.create_task(in_database(log.write, place, SYSTEM, decide))
    await held.begun()
    task.cancel()
    held.let_go()
    await asyncio.wait([task])
    assert task.cancelled()
    assert await in_database(log.head, place) == 1


async def test_a_unit_that_fails_within_its_transaction_leaves_a_usable_connection() -> None:
    def broken() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT no_such_column FROM nowhere")

    for _ in range(6):
        with pytest.raises(Error):
            await in_database(broken)
    assert await in_database(Workspace.objects.count) == 0


async def test_many_units_at_once_all_end() -> None:
    place = str((await in_database(Workspace.objects.create, name="Place")).pk)

    def say() -> int:
        return log.write(place, SYSTEM, lambda entry: entry.append("said", {}))

    assert sorted(await asyncio.gather(*(in_database(say) for _ in range(50)))) == list(range(1, 51))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(database, "LONGEST_PAUSE", 0.002)


def failing(times: int, error: Exception) -> tuple[Callable[[], str], list[int]]:
    """A unit that fails so many times, and the tries so far."""
    tries: list[int] = []

    def unit() -> str:
        tries.append(len(tries) + 1)
        if len(tries) <= times:
            raise error
        return "done"

    return unit, tries


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("error", [OperationalError("away"), InterfaceError("closed")])
async def test_it_tries_again_while_the_database_is_away(error: Exception) -> None:
    unit, tries = failing(7, error)
    assert await persistently(unit) == "done"
    assert len(tries) == 8


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("error", [Forbidden("No."), ProgrammingError("x"), ValueError("x"), Error("x")])
async def test_it_tries_nothing_else_again(error: Exception) -> None:
    unit, tries = failing(1, error)
    with pytest.raises(type(error)):
        await persistently(unit)
    assert tries == [1]


@pytest.mark.skipif(DATABASE != "postgresql", reason="SQLite has no sessions")
@pytest.mark.usefixtures("impatient")
async def test_a_process_that_slept_in_a_transaction_tries_again() -> None:
    """Its session was cut meanwhile, which Django takes for a fault inside the database."""
    slept: list[bool] = []

    def unit() -> str:
        with transaction.atomic(), connection.cursor() as cursor:
            if not slept:
                cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 10")
                slept.append(bool(select.select([connection.connection], [], [], 10)[0]))
            cursor.execute("SELECT 'done'")
            return str(cursor.fetchone()[0])

    assert await persistently(unit) == "done"
    assert slept == [True]


async def test_it_gives_up_at_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that only the pauses move."""
    now = [0.0]
    sleep = asyncio.sleep

    async def paused(seconds: float) -> None:
        now[0] += seconds
        await sleep(0)

    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now[0])
    monkeypatch.setattr(asyncio, "sleep", paused)
    unit, tries = failing(1_000, OperationalError("away"))
    with pytest.raises(OperationalError):
        await persistently(unit)
    assert database.OUTAGE_SECONDS - database.LONGEST_PAUSE <= now[0] <= database.OUTAGE_SECONDS
    assert 30 <= len(tries) <= 36


async def test_a_cancel_between_two_tries_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "FIRST_PAUSE", 20.0)
    unit, tries = failing(1, OperationalError("away"))
    task = asyncio.create_task(persistently(unit))
    while not tries:
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert tries == [1]
