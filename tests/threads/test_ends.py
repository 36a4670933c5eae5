"""Messages and stops at every point around a run's end, pause, failure and stop: none lost, none twice, order kept."""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.kit import Step, ask, call, fail, say
from tests.shares import share
from tests.threads.interleaving import Points
from tests.threads.rounds import Round
from threads.models import Run

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("connections_closed"),
    pytest.mark.stress,
]

SCRIPTS: dict[str, Callable[[], list[Step]]] = {
    "end": lambda: [say("one two three")],
    "tools": lambda: [[say("first"), call("note", text="a"), call("note", text="b")], say("then done")],
    "pause": lambda: [[say("well"), ask("Which?", "this", "that")], say("thank you")],
    "pause beside a tool": lambda: [[call("note", text="a"), ask("Which?")], say("thank you")],
    "approval": lambda: [[say("may I"), call("launch", what="it")], say("launched")],
    "two requests": lambda: [[ask("Which?"), call("launch", what="it")], say("both done")],
    "failure": lambda: [[say("so far"), fail()]],
    "failure after a tool": lambda: [call("note", text="a"), fail()],
    "refused arguments": lambda: [call("note", wrong=1), say("sorry")],
}


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


class Stepped(Round):
    """A round with a point at every await."""

    steps_through = True


def played(alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> Stepped:
    """A round of the script with this name."""
    return Stepped(alice, SCRIPTS[name](), monkeypatch)


_lengths: dict[str, int] = {}


def length(alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many points a script has when nothing happens."""
    if name not in _lengths:
        _lengths[name] = played(alice, name, monkeypatch).play({}).count
    return _lengths[name]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_message_at_every_await(alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points = list(range(length(alice, name, monkeypatch)))
    random.Random(1).shuffle(points)
    happened = 0
    rounds = share(len(points), 3)
    for point in points[:rounds]:
        round = played(alice, name, monkeypatch)
        happened += round.play({point: round.message("message 1")}, yields=point % 4).happened
    print(f"{name}: a message at {rounds} of {len(points)} awaits, {happened} came to it")
    assert happened > rounds * 0.8


@pytest.mark.parametrize("lot", range(4))
def test_messages_and_stops_at_seeded_awaits(alice: User, lot: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One to four of them, most within a few awaits of one another."""
    happened: Counter[str] = Counter()
    rounds = share(200, 5)
    for seed in range(1_000 * lot, 1_000 * lot + rounds):
        dice = random.Random(seed)
        name = dice.choice(list(SCRIPTS))
        round, awaits = played(alice, name, monkeypatch), length(alice, name, monkeypatch)
        first = dice.randrange(awaits)
        near = [first, *(first + dice.randint(1, 12) for _ in range(2)), dice.randrange(awaits)]
        points = sorted(set(near[: dice.randint(2, 4)]))
        plan: dict[int, Any] = {point: round.message(f"at {point}") for point in points}
        if dice.random() < 0.4:
            plan[dice.choice(points)] = round.stop
        happened["came"] += round.play(plan, yields=dice.randrange(6)).happened
        happened["planned"] += len(plan)
        happened.update(Run.objects.filter(thread_id=round.room.id).values_list("status", flat=True))
    print(f"{rounds} rounds with several: {dict(happened)}")
    assert happened["came"] > 0.8 * happened["planned"]


class Late(Round):
    """Twice, when all was quiet, the Runner looks at the thread once more, and messages come around its claim."""

    late = 0

    async def settled(self, points: Points) -> str:
        status = await super().settled(points)
        if self.late < 4:
            for point in (points.count, points.count + 1):
                self.late += 1
                points._plan[point] = self.message(f"message {self.late}")
            self.runner.look(self.room.id)
            await asyncio.sleep(0)
        return status


def test_messages_that_come_when_all_was_quiet_are_played_to_their_end(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened = sum(Late(alice, steps(), monkeypatch).play({}).happened for steps in SCRIPTS.values())
    print(f"{happened} messages came late")
    assert happened > 0
