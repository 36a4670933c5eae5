"""Drives something into a run at an exact point: before or after any unit of work in the database, before any piece of
a model's answer, at a tool's begin; and, where a round steps through them, at every await of every task.

Points are counted as a run comes to them. A first round without anything counts how many there are; then each round
lets one or two things happen at chosen points. Nothing sleeps, and nothing is left to luck but what seeds choose.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import pytest
from django.db import OperationalError, connections

from artifacts import database

type Happening = Callable[[], object]

APART = ("tests.", "threads.turns.holding", "threads.agent.life", "threads.agent.runner")
"""Modules whose units of work are no points: the tests' own, and those that no turn does."""


class Points:
    """Counts the points of one round and lets what is planned happen at them."""

    def __init__(self, plan: Mapping[int, Happening] | None = None, yields: int = 0) -> None:
        self.count = 0
        self.happened = 0
        self.active = 0
        self.failures: list[Exception] = []
        self._plan = dict(plan or {})
        self._yields = yields
        self._lock = threading.Lock()
        self._closed = False

    def reach(self) -> None:
        """A point in a database thread."""
        if (happening := self._next()) is not None:
            self.happened += 1
            self._happen(happening)

    async def checkpoint(self, where: str) -> None:
        """A point in the event loop."""
        if (happening := self._next()) is not None:
            with suppress(OperationalError):  # only a unit of work can fail for the database
                await database.in_database(uncounted(lambda: self._happen(happening)))
            self.happened += 1
            for _ in range(self._yields):
                await asyncio.sleep(0)

    def step(self) -> None:
        """A task is about to go on after an await; it does once what is planned here is done."""
        if (happening := self._next()) is not None:
            self.happened += 1
            database._executor().submit(database._tidily, uncounted(lambda: self._happen(happening))).result(
                20
            )

    def enter(self, change: int) -> None:
        """A unit of work begins, or has ended."""
        with self._lock:
            self.active += change

    def close(self) -> None:
        """Nothing happens any more, and no point is counted."""
        self._closed = True

    def _happen(self, happening: Happening) -> None:
        """What fails here fails the round, and not what it came upon; but for a database that is away."""
        try:
            happening()
        except OperationalError:
            raise
        except Exception as error:  # noqa: BLE001 (see `failures`)
            self.failures.append(error)

    def _next(self) -> Happening | None:
        with self._lock:
            if self._closed:
                return None
            self.count += 1
            return self._plan.pop(self.count - 1, None)


def uncounted(unit: Happening) -> Happening:
    """A unit of the test's own, which is no point."""
    return lambda: unit()  # noqa: PLW0108 (a function of this module, whatever the unit is of)


def at_once(*happenings: Happening) -> Happening:
    """All of these, each in a thread and with a connection of its own."""

    def happen() -> None:
        start = threading.Barrier(len(happenings))

        def one(happening: Happening) -> None:
            try:
                start.wait(10)
                happening()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(happenings)) as threads:
            list(threads.map(one, happenings))

    return happen


@contextmanager
def counting(points: Points, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every unit of work but the tests' own be two points: before it, and after its commit."""
    tidily = database._tidily

    def pointed(unit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if str(getattr(unit, "__module__", "")).startswith(APART):
            return tidily(unit, *args, **kwargs)
        return tidily(_around, points, unit, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(database, "_tidily", pointed)
        yield


def _around(points: Points, unit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    points.enter(1)
    try:
        points.reach()
        outcome = unit(*args, **kwargs)
        points.reach()
        return outcome
    finally:
        points.enter(-1)


ROUTINES = {"_sweep", "_look_after_claims", "_renew"}
"""What a Runner does now and then, whether there is a turn or not."""


def stepping(points: Points) -> Callable[..., asyncio.Task[Any]]:
    """A task factory that makes a point of each await at which a task had to wait."""

    def made(
        loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **options: Any
    ) -> asyncio.Task[Any]:
        steps = work if getattr(work, "__name__", "") in ROUTINES else _stepped(work, points)
        return asyncio.Task(steps, loop=loop, **options)

    return made


async def _stepped(work: Coroutine[Any, Any, Any], points: Points) -> Any:
    return await _Steps(work, points)


class _Steps(Awaitable[Any]):
    """Hands through whatever a task waits for, and counts each time that it goes on."""

    def __init__(self, work: Coroutine[Any, Any, Any], points: Points) -> None:
        self._work = work
        self._points = points

    def __await__(self) -> Generator[Any, Any, Any]:
        go_on: Callable[[], Any] = lambda: self._work.send(None)  # noqa: E731 (it is replaced)
        while True:
            try:
                waits_for = go_on()
            except StopIteration as end:
                return end.value
            try:
                sent = yield waits_for
                self._points.step()
                go_on = partial(self._work.send, sent)
            except GeneratorExit:
                self._work.close()
                raise
            except BaseException as error:  # noqa: BLE001 (a cancellation, too, is the task's own affair)
                self._points.step()
                go_on = partial(self._work.throw, error)
