"""Replaying a thread's log predicts its rows: whatever people and turns do, in any order."""

import itertools
import json
import random
import uuid
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.contrib.auth.models import User

from artifacts.core.commands import CreateArtifact
from artifacts.core.rejections import Rejection
from artifacts.handle import Handle
from tests.kit import Room
from tests.promises import check_log, check_thread, stored_messages
from tests.shares import share
from tests.threads.replaying import replayed, stored
from threads.core import events
from threads.core.decisions import Answer, Approve, Decision, Decline
from threads.core.history import Message, Return, open_calls, request, tool_return
from threads.models import Request, Thread
from threads.turns import (
    answer,
    archive,
    drop_artifact,
    follow_artifact,
    post,
    post_notice,
    rename,
    retry,
    set_mode,
    stop,
    unarchive,
    withdraw,
)
from threads.turns.claiming import claim
from threads.turns.ending import Asked, Ending, end, hand_over
from threads.turns.saving import Fact, Turn, Write, save
from threads.turns.withdrawing import waiting

pytestmark = [pytest.mark.django_db, pytest.mark.stress]

SCHEMA = {"type": "object", "properties": {"what": {"type": "string"}}}
WEIGHTS = {"post": 4, "take": 6, "say": 2, "pause": 3, "complete": 3, "decide": 5, "retry": 3, "unarchive": 4}


class Play:
    """A thread, and everything that can happen to it, chosen by dice."""

    def __init__(self, alice: User, seed: int) -> None:
        self.dice = random.Random(seed)
        self.alice = alice
        self.room = Room.open(alice, "A thread")
        self.turn: Turn | None = None
        self.numbers = itertools.count()
        hands = Handle.for_user(alice, self.room.workspace)
        self.documents = [
            hands.commit(CreateArtifact("document", {"title": f"No. {number}", "text": "x"})).artifact
            for number in range(3)
        ]

    def step(self) -> None:
        names = [name.removeprefix("do_") for name in dir(self) if name.startswith("do_")]
        name = self.dice.choices(names, [WEIGHTS.get(name, 1) for name in names])[0]
        does: Callable[[], object] = getattr(self, f"do_{name}")
        with suppress(Rejection):
            does()

    def do_post(self) -> None:
        post(self.alice, self.room.id, uuid.uuid4().hex, f"message {next(self.numbers)}")

    def do_notice(self) -> None:
        post_notice(self.alice, self.room.id, uuid.uuid4().hex, f"notice {next(self.numbers)}")

    def do_withdraw(self) -> None:
        if posted := waiting(self.row()):
            withdraw(self.alice, self.room.id, self.dice.choice(posted))

    def do_rename(self) -> None:
        rename(self.alice, self.room.id, self.dice.choice(["Tea", "Coffee", ""]))

    def do_mode(self) -> None:
        set_mode(self.alice, self.room.id, self.dice.choice(["edit", "suggest", "nonsense"]))

    def do_follow(self) -> None:
        follow_artifact(self.alice, self.room.id, self.dice.choice(self.documents))

    def do_drop(self) -> None:
        drop_artifact(self.alice, self.room.id, self.dice.choice(self.documents))

    def do_stop(self) -> None:
        stop(self.alice, self.room.id, self.dice.choice(["keep", "withdraw"]))

    def do_retry(self) -> None:
        retry(self.alice, str(self.row().run_id))

    def do_archive(self) -> None:
        if self.dice.random() < 0.4:
            archive(self.alice, self.room.id)

    def do_unarchive(self) -> None:
        unarchive(self.alice, self.room.id)

    def do_decide(self) -> None:
        request = Request.objects.filter(thread_id=self.room.id).order_by("?").first()
        decisions: list[Decision] = [
            Answer("this"),
            Approve(),
            Approve(arguments={"what": "that"}),
            Decline("no"),
        ]
        if request is not None:
            answer(self.alice, str(request.pk), self.dice.choice(decisions))

    def do_take(self) -> None:
        if self.turn is None and (claimed := claim(self.room.id, str(uuid.uuid4()), "test")):
            self.turn = Turn(claimed)

    def do_say(self) -> None:
        if self.turn is not None:
            save(self.turn, [self.response()])

    def do_pause(self) -> None:
        asked = [
            Asked("question", "ask_user", uuid.uuid4().hex, {}, "Which?"),
            Asked("approval", "launch", uuid.uuid4().hex, {"what": "it"}, schema=SCHEMA),
        ][: self.dice.randint(1, 2)]
        self.end(Ending("paused", asked=asked), self.response(*asked))

    def do_complete(self) -> None:
        self.end(Ending("completed"), self.response())

    def do_fail(self) -> None:
        self.end(Ending("failed", "internal", "It broke."))

    def do_hand_over(self) -> None:
        if self.turn is not None:
            hand_over(self.turn, [])
            self.turn = None

    def end(self, ending: Ending, *writes: Write) -> None:
        if self.turn is not None:
            end(self.turn, writes, ending)
            self.turn = None

    def response(self, *asked: Asked) -> Write:
        """A response, after the returns of approved calls: who goes on carries those out before saying more."""
        parts = [
            {"part_kind": "text", "content": "so"},
            *(
                {
                    "part_kind": "tool-call",
                    "tool_name": one.tool,
                    "tool_call_id": one.call,
                    "args": one.arguments,
                }
                for one in asked
            ),
        ]
        said = Fact(events.AGENT_RESPONDED, {"text": "so", "thinking": "", "parts": []})
        done, returns = self.approved()
        messages = [*returns, {"kind": "response", "parts": parts}]
        return Write(uuid.uuid4().hex, [*done, said], json.dumps(messages))

    def approved(self) -> tuple[list[Fact], list[Message]]:
        """What carrying out the calls that are still open comes to."""
        calls = open_calls(stored_messages(self.room.id)) if self.turn is not None else []
        facts = [
            fact
            for call in calls
            for fact in (
                Fact(events.TOOL_CALLED, {"call": call.id, "tool": call.tool, "arguments": {}}),
                Fact(events.TOOL_RETURNED, {"call": call.id, "outcome": "success", "content": "done"}),
            )
        ]
        parts = [tool_return(call, Return("success", "done")) for call in calls]
        return facts, [request(parts)] if parts else []

    def row(self) -> Thread:
        return Thread.objects.select_related("run").get(pk=self.room.id)

    def check(self) -> None:
        said, rows = replayed(self.room.id), stored(self.room.id)
        assert set(waiting(self.row())) == said.waiting
        said.waiting = set()
        assert said == rows

    def finish(self) -> None:
        """Whatever is open comes to its end, and every promise was kept."""
        with suppress(Rejection):
            unarchive(self.alice, self.room.id)
        self.do_complete()
        with suppress(Rejection):
            stop(self.alice, self.room.id, "withdraw")
        check_thread(self.room.id, kills=True)
        check_log(self.room.workspace)


def test_replaying_the_log_predicts_the_rows() -> None:
    alice = User.objects.create_superuser("alice", first_name="Alice")
    for seed in range(share(300, 5)):
        play = Play(alice, seed)
        for _ in range(60):
            play.step()
            play.check()
        play.finish()
