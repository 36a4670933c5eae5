"""Messages and stops at every point around a run's end, pause, failure and stop: none lost, none twice, order kept."""

import asyncio
import random
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User

from artifacts.core.rejections import Rejection
from artifacts.database import in_database
from tests.kit import Room, Script, Step, ask, call, fail, playing, running, say
from tests.promises import check_log, check_thread
from tests.shares import share
from tests.threads.interleaving import Happening, Points, counting
from threads.core.decisions import QUESTION, Answer, Approve
from threads.models import Request, Run
from threads.turns import answer, post, stop

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


class Round:
    """One script played with a plan of what happens when."""

    def __init__(self, alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = Room.open(alice)
        self.alice = alice
        self.name = name
        self.monkeypatch = monkeypatch

    def message(self, text: str) -> Happening:
        """A message that is posted."""
        return lambda: post(self.alice, self.room.id, uuid.uuid4().hex, text)

    def stop(self) -> None:
        """A stop, if there is something to stop."""
        with suppress(Rejection):
            stop(self.alice, self.room.id)

    def play(self, plan: Mapping[int, Happening], yields: int = 0) -> Points:
        """Play the script and then check every promise; what was planned and never came is done at the end."""
        points = Points(plan, yields)
        script = Script(*SCRIPTS[self.name](), checkpoint=points.checkpoint)
        with playing(script), counting(points, self.monkeypatch):
            asyncio.run(self._play(points))
        check_thread(self.room.id)
        check_log(self.room.workspace)
        return points

    async def _play(self, points: Points) -> None:
        async with running():
            await in_database(self.message("message 0"))
            await self._settled(points)
            while await self.room.status() == "paused":
                await in_database(self._answer_one)
                await self._settled(points)

    async def _settled(self, points: Points) -> None:
        """Nothing is at work, in the thread or in a database thread, and nothing was while we looked."""
        async with asyncio.timeout(20):
            while True:
                seen, active = points.count, points.active
                if (
                    await self.room.status() != "running"
                    and not active
                    and (seen, 0) == (points.count, points.active)
                ):
                    return
                await asyncio.sleep(0.002)

    def _answer_one(self) -> None:
        request = Request.objects.filter(thread_id=self.room.id, state="open").first()
        if request is None:
            return
        with suppress(Rejection):  # a message or a stop was first
            answer(self.alice, str(request.pk), Answer("this") if request.kind == QUESTION else Approve())


def length(alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many points a script has when nothing happens."""
    return Round(alice, name, monkeypatch).play({}).count


def seeded(full: int, part: int) -> range:
    return range(share(full, part))


def test_a_message_at_every_point_of_every_script(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    happened = rounds = 0
    lengths = {name: length(alice, name, monkeypatch) for name in SCRIPTS}
    cases = [(name, point) for name, count in lengths.items() for point in range(count)]
    random.Random(1).shuffle(cases)
    for name, point in cases[: share(len(cases), 60)]:
        round = Round(alice, name, monkeypatch)
        happened += round.play({point: round.message("message 1")}, yields=point % 4).happened
        rounds += 1
    print(f"{rounds} rounds with a message at one of {len(cases)} points, {happened} came to it")
    assert happened > rounds * 0.8


def test_two_messages_at_seeded_points(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = {name: length(alice, name, monkeypatch) for name in SCRIPTS}
    for seed in seeded(200, 25):
        dice = random.Random(seed)
        round = Round(alice, dice.choice(list(SCRIPTS)), monkeypatch)
        points = dice.sample(range(lengths[round.name]), 2)
        plan = {point: round.message(f"message {number}") for number, point in enumerate(sorted(points), 1)}
        round.play(plan, yields=dice.randrange(6))


def test_a_stop_and_a_message_at_seeded_points(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = {name: length(alice, name, monkeypatch) for name in SCRIPTS}
    outcomes: dict[str, int] = {}
    for seed in seeded(300, 45):
        dice = random.Random(seed)
        round = Round(alice, dice.choice(list(SCRIPTS)), monkeypatch)
        halt, said = dice.sample(range(lengths[round.name]), 2)
        plan: dict[int, Any] = {halt: round.stop}
        if dice.random() < 0.7:
            plan[said] = round.message("message 1")
        round.play(plan, yields=dice.randrange(6))
        for outcome in Run.objects.filter(thread_id=round.room.id).values_list("status", flat=True):
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(f"outcomes of the runs: {outcomes}")
    assert outcomes["stopped"] > 0
    assert outcomes["completed"] > 0
