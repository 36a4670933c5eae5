"""Messages and stops at every point around a run's end, pause, failure and stop: none lost, none twice, order kept."""

import asyncio
import random
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


def played(alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> Round:
    """A round of the script with this name."""
    return Round(alice, SCRIPTS[name](), monkeypatch)


def lengths_of_all(alice: User, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many points each script has when nothing happens."""
    return {name: played(alice, name, monkeypatch).play({}).count for name in SCRIPTS}


def seeded(full: int, part: int) -> range:
    return range(share(full, part))


def test_a_message_at_every_point_of_every_script(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    happened = rounds = 0
    lengths = lengths_of_all(alice, monkeypatch)
    cases = [(name, point) for name, count in lengths.items() for point in range(count)]
    random.Random(1).shuffle(cases)
    for name, point in cases[: share(len(cases), 60)]:
        round = played(alice, name, monkeypatch)
        happened += round.play({point: round.message("message 1")}, yields=point % 4).happened
        rounds += 1
    print(f"{rounds} rounds with a message at one of {len(cases)} points, {happened} came to it")
    assert happened > rounds * 0.8


def test_two_messages_at_seeded_points(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = lengths_of_all(alice, monkeypatch)
    for seed in seeded(200, 25):
        dice = random.Random(seed)
        name = dice.choice(list(SCRIPTS))
        round = played(alice, name, monkeypatch)
        points = dice.sample(range(lengths[name]), 2)
        plan = {point: round.message(f"message {number}") for number, point in enumerate(sorted(points), 1)}
        round.play(plan, yields=dice.randrange(6))


def test_a_stop_and_a_message_at_seeded_points(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = lengths_of_all(alice, monkeypatch)
    outcomes: dict[str, int] = {}
    for seed in seeded(300, 45):
        dice = random.Random(seed)
        name = dice.choice(list(SCRIPTS))
        round = played(alice, name, monkeypatch)
        halt, said = dice.sample(range(lengths[name]), 2)
        plan: dict[int, Any] = {halt: round.stop}
        if dice.random() < 0.7:
            plan[said] = round.message("message 1")
        round.play(plan, yields=dice.randrange(6))
        for outcome in Run.objects.filter(thread_id=round.room.id).values_list("status", flat=True):
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(f"outcomes of the runs: {outcomes}")
    assert outcomes["stopped"] > 0
    assert outcomes["completed"] > 0


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
