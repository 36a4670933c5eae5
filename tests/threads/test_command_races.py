"""Withdrawals, archiving, retries and notices at every point of a run: one winner, and every promise kept."""

import random
import uuid
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User

from artifacts.core.rejections import Archived, Rejection
from artifacts.models import Event
from tests.promises import heard_by_the_model
from tests.shares import share
from tests.threads.interleaving import Points
from tests.threads.rounds import Round
from tests.threads.test_ends import SCRIPTS
from threads.core import events
from threads.core.rejections import AlreadyDelivered
from threads.models import Request, Run, Thread
from threads.turns import archive, post, post_notice, retry, stop, unarchive, withdraw

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("connections_closed"),
    pytest.mark.stress,
]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


class Commanded(Round):
    """A round in which commands are given; `outcomes` says how each came out."""

    def __init__(self, alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(alice, SCRIPTS[name](), monkeypatch)
        self.outcomes: Counter[str] = Counter()
        self.second = 0

    def say_more(self) -> None:
        self.second = post(self.alice, self.room.id, uuid.uuid4().hex, "message 1").seq

    def withdraw_last(self) -> None:
        """Take back the message that was said last."""
        last = Event.objects.filter(thread=self.room.id, type=events.MESSAGE_POSTED).order_by("-seq").first()
        if last is not None:
            self.tried("withdrawn", lambda: withdraw(self.alice, self.room.id, last.seq))

    def archive(self) -> None:
        self.tried("archived", lambda: archive(self.alice, self.room.id))
        assert not Request.objects.filter(thread_id=self.room.id, state="open").exists()

    def retry(self) -> None:
        run = Thread.objects.get(pk=self.room.id).run_id
        self.tried("retried", lambda: retry(self.alice, str(run)))

    def notice(self) -> None:
        post_notice(self.alice, self.room.id, uuid.uuid4().hex, "between us")

    def stop_and_withdraw(self) -> None:
        self.tried("stopped", lambda: stop(self.alice, self.room.id, "withdraw"))

    def tried(self, name: str, command: Any) -> None:
        try:
            command()
            self.outcomes[name] += 1
        except Rejection as refused:
            self.outcomes[refused.code] += 1

    async def story(self, points: Points) -> None:
        with suppress(Archived):
            await super().story(points)


_lengths: dict[str, int] = {}


def cases(alice: User, monkeypatch: pytest.MonkeyPatch, part: int, *names: str) -> list[tuple[str, int]]:
    """Some of all the points of the scripts, evenly."""
    chosen = names or tuple(SCRIPTS)
    for name in chosen:
        if name not in _lengths:
            _lengths[name] = Commanded(alice, name, monkeypatch).play({}).count
    lengths = {name: _lengths[name] for name in chosen}
    found = [(name, point) for name, count in lengths.items() for point in range(count)]
    random.Random(2).shuffle(found)
    return found[: share(len(found), part)]


def test_the_first_message_withdrawn_at_every_point(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: Counter[str] = Counter()
    for name, point in cases(alice, monkeypatch, 20):
        round = Commanded(alice, name, monkeypatch)
        round.play({point: round.withdraw_last}, yields=point % 4)
        outcomes += round.outcomes
    assert set(outcomes) <= {"withdrawn", AlreadyDelivered.code}, outcomes


def test_a_steer_and_its_withdrawal_have_one_winner(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: Counter[str] = Counter()
    for seed, (name, point) in enumerate(cases(alice, monkeypatch, 20)):
        round = Commanded(alice, name, monkeypatch)
        after = point + 1 + random.Random(seed).randrange(4)
        round.play({point: round.say_more, after: round.withdraw_last}, yields=seed % 4)
        outcomes += round.outcomes
        heard = heard_by_the_model(round.room.id).count("message 1")
        if round.second:
            withdrawn = Event.objects.filter(about=round.second, type=events.MESSAGE_WITHDRAWN).count()
            assert heard + withdrawn == 1
    print(outcomes)
    assert outcomes["withdrawn"]
    assert outcomes[AlreadyDelivered.code]


def test_archiving_at_every_point_ends_everything(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, (name, point) in enumerate(cases(alice, monkeypatch, 30)):
        round = Commanded(alice, name, monkeypatch)
        plan: dict[int, Any] = {point: round.archive}
        if seed % 2 and point:
            plan[seed % point] = partial(round.tried, "said", round.say_more)
        round.play(plan, yields=seed % 4)
        assert set(round.outcomes) <= {"said", Archived.code}, "refused only once it is archived"
        if round.outcomes["archived"]:
            assert not Run.objects.filter(thread_id=round.room.id, ended_at=None).exists()
            unarchive(alice, round.room.id)
            assert Thread.objects.get(pk=round.room.id).status == "idle"


def test_a_retry_at_every_point_of_a_failure(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: Counter[str] = Counter()
    scripts = ("failure", "failure after a tool")
    for seed, (name, point) in enumerate(cases(alice, monkeypatch, 40, *scripts)):
        round = Commanded(alice, name, monkeypatch)
        plan: dict[int, Any] = {point: round.stop if seed % 3 else round.say_more}
        plan |= dict.fromkeys(range(point + 1, point + 60, 3), round.retry)
        round.play(plan, yields=seed % 4)
        outcomes += round.outcomes
        assert heard_by_the_model(round.room.id).count("message 0") == 1
    print(outcomes)
    assert outcomes["retried"]


def test_a_notice_at_every_point_reaches_no_model(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, point in cases(alice, monkeypatch, 10):
        round = Commanded(alice, name, monkeypatch)
        round.play({point: round.notice}, yields=point % 4)


def test_a_stop_that_withdraws_leaves_nothing_waiting(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, (name, point) in enumerate(cases(alice, monkeypatch, 20)):
        round = Commanded(alice, name, monkeypatch)
        plan: dict[int, Any] = {point: round.say_more, point + 1 + seed % 5: round.stop_and_withdraw}
        round.play(plan, yields=seed % 4)
