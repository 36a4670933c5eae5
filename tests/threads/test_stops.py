"""Stops at random moments, one or several at once: one end each, nothing after it, and the next message is answered."""

import random
from collections import Counter

import pytest
from django.contrib.auth.models import User

from artifacts.core.rejections import Rejection
from artifacts.database import in_database
from artifacts.models import Event
from tests.promises import check_returns
from tests.shares import share
from tests.threads.interleaving import Happening, Points, at_once, uncounted
from tests.threads.rounds import Round
from tests.threads.test_ends import SCRIPTS, length
from threads.core import events
from threads.models import Run, Thread
from threads.turns import stop

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("connections_closed"),
    pytest.mark.stress,
]

PHASES = {"starting", "running", "pausing", "paused", "resuming", "resumed"}


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


class Halted(Round):
    """A round in which the run is stopped, now and then while it is paused; `phases` says when stops were taken."""

    steps_through = True

    def __init__(self, alice: User, name: str, monkeypatch: pytest.MonkeyPatch, dice: random.Random) -> None:
        super().__init__(alice, SCRIPTS[name](), monkeypatch)
        self.dice = dice
        self.pauses = "ause" in name or name in ("approval", "two requests")
        self.phases: Counter[str] = Counter()

    def halted(self, stops: int) -> Happening:
        """So many stops at once."""
        return at_once(*[self.halt] * stops) if stops > 1 else self.halt

    def halt(self) -> None:
        phase = self.phase()
        try:
            stop(self.alice, self.room.id)
        except Rejection as refused:
            phase = refused.code
        self.phases[phase] += 1

    def phase(self) -> str:
        """What the run is about, as far as can be seen from outside."""
        run = Thread.objects.select_related("run").get(pk=self.room.id).run
        if run is None or run.ended:
            return "none"
        if run.status in ("paused", "ready"):
            return "paused" if run.status == "paused" else "resuming"
        if run.trigger == "resume":
            return "resumed"
        if not self.script.requests:
            return "starting"
        return "pausing" if self.pauses and self.script.responses else "running"

    async def answered(self, points: Points) -> None:
        """Before an answer, together with it, or right after it a stop may come."""
        while await self.settled(points) == "paused":
            match self.dice.choice(["stop", "both", "then", "answer", "answer"]):
                case "stop":
                    await in_database(uncounted(self.halted(self.dice.randint(1, 3))))
                case "then":
                    await in_database(uncounted(self._answer_and_halt))
                case "both":
                    await in_database(uncounted(at_once(self.halt, self._answer_one)))
                case _:
                    await in_database(self._answer_one)

    def _answer_and_halt(self) -> None:
        """A stop before the answered run is taken up, if nobody is very quick."""
        self._answer_one()
        self.halt()

    async def last_message(self, points: Points) -> None:
        """What is said after it all is answered."""
        self.script.steps.clear()
        await in_database(self.message("the last message"))
        await self.answered(points)
        assert (
            await in_database(Run.objects.filter(thread_id=self.room.id).latest, "seq")
        ).status == "completed"


@pytest.mark.parametrize("lot", range(4))
def test_stops_at_random_moments(alice: User, lot: int, monkeypatch: pytest.MonkeyPatch) -> None:
    phases: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    rounds = share(300, 8)
    for seed in range(1_000 * lot, 1_000 * lot + rounds):
        dice = random.Random(seed)
        name = dice.choice(list(SCRIPTS))
        round, awaits = Halted(alice, name, monkeypatch, dice), length(alice, name, monkeypatch)
        points = dice.sample(range(awaits), dice.choice([1, 1, 1, 2]))
        plan: dict[int, Happening] = {point: round.halted(dice.choice([1, 1, 2, 3])) for point in points}
        if dice.random() < 0.3:
            plan[dice.randrange(awaits)] = round.message("message 1")
        round.play(plan, yields=dice.randrange(6))
        check_returns(round.room.id)
        stops = Event.objects.filter(thread=round.room.id, type=events.STOP_REQUESTED).count()
        stopped = Run.objects.filter(thread_id=round.room.id).exclude(stop_seq=None).count()
        assert stops == stopped, "a run is stopped once"
        phases += round.phases
        outcomes.update(Run.objects.filter(thread_id=round.room.id).values_list("status", flat=True))
    print(f"{rounds} rounds; the runs ended: {dict(outcomes)}; stops came while: {dict(phases)}")
    assert set(phases) >= PHASES or rounds < 300


def test_a_refusal_that_the_model_was_told_of_is_in_the_log(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Around the awaits between the refusal in history and its event."""
    for point in range(56, 63):
        round = Halted(alice, "refused arguments", monkeypatch, random.Random(1))
        round.play({point: round.halt})
        check_returns(round.room.id)
