"""Drives something into a run at an exact point: before or after any unit of work in the database, before any piece of
a model's answer, at a tool's begin.

Points are counted as a run comes to them. A first round without anything counts how many there are; then each round
lets one or two things happen at chosen points. Nothing sleeps, and nothing is left to luck but what seeds choose.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from django.db import OperationalError

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
        self._plan = dict(plan or {})
        self._yields = yields
        self._lock = threading.Lock()
        self._closed = False

    def reach(self) -> None:
        """A point in a database thread."""
        if (happening := self._next()) is not None:
            self.happened += 1
            happening()

    async def checkpoint(self, where: str) -> None:
        """A point in the event loop."""
        if (happening := self._next()) is not None:
            with suppress(OperationalError):  # only a unit of work can fail for the database
                await database.in_database(uncounted(happening))
            self.happened += 1
            for _ in range(self._yields):
                await asyncio.sleep(0)

    def enter(self, change: int) -> None:
        """A unit of work begins, or has ended."""
        with self._lock:
            self.active += change

    def close(self) -> None:
        """Nothing happens any more, and no point is counted."""
        self._closed = True

    def _next(self) -> Happening | None:
        with self._lock:
            if self._closed:
                return None
            self.count += 1
            return self._plan.pop(self.count - 1, None)


def uncounted(unit: Happening) -> Happening:
    """A unit of the test's own, which is no point."""
    return lambda: unit()  # noqa: PLW0108 (a function of this module, whatever the unit is of)


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
