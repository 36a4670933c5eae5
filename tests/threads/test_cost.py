"""What a turn costs the database: how many statements, and in how many transactions that write."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection

from artifacts import database
from tests.kit import Room, Script, Step, call, playing, running, say
from threads.agent import recorder

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

APART = ("tests.kit", "threads.turns.holding", "threads.agent.life", "threads.agent.runner")
"""Modules whose units of work belong to no turn: the test's own looks, the sweep, the signs of life."""

WRITES = ("INSERT", "UPDATE", "DELETE")


class Counted:
    """The statements of each unit of work."""

    def __init__(self) -> None:
        self.units: list[list[str]] = []

    @property
    def statements(self) -> int:
        return sum(map(len, self.units))

    @property
    def writes(self) -> int:
        """The units that wrote: each is a transaction."""
        return sum(any(statement.startswith(WRITES) for statement in unit) for unit in self.units)


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """Count what every unit of work executes, but those that belong to no turn."""
    counted, tidily = Counted(), database._tidily

    def counts(unit: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if str(getattr(unit, "__module__", "")).startswith(APART):
            return tidily(unit, *args, **kwargs)
        executed: list[str] = []
        counted.units.append(executed)

        def note(execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
            executed.append(sql)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            return tidily(unit, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(database, "_tidily", counts)
        yield counted


def turn(alice: User, monkeypatch: pytest.MonkeyPatch, *steps: Step) -> Counted:
    """The cost of a thread's second turn, from its message to its end."""
    room = Room.open(alice)

    async def story() -> Counted:
        async with running():
            await room.say("first")
            await room.until("idle")
            with counting(monkeypatch) as counted:
                await room.say("second")
                await room.until("idle")
            return counted

    with playing(Script(say("warm"), *steps)):
        counted = asyncio.run(story())
    print(f"{counted.statements} statements in {len(counted.units)} units, {counted.writes} of which write")
    for unit in counted.units:
        print("\n".join(statement[:110] for statement in unit), end="\n\n")
    return counted


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def test_a_text_turn_takes_three_transactions_that_write(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = turn(alice, monkeypatch, say("word " * 50))
    assert counted.writes == 3  # the message, the claim, the end
    assert counted.statements <= 45
    assert len(counted.units) <= 4  # and whoever looks in vain


def test_a_turn_of_five_tools_takes_one_more_for_each(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        recorder, "RETURNS_WAIT_SECONDS", 60
    )  # a machine that is busy would need another save
    counted = turn(alice, monkeypatch, *[call("note", text=f"{number}") for number in range(5)], say("done"))
    assert counted.writes == 8
    assert counted.statements <= 110
