"""Several Runners on one database, and what a turn meets that changed under it."""

import asyncio
import random
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError

from artifacts import database
from artifacts.core.commands import CreateArtifact
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.models import Artifact
from tests.kit import Gate, Room, Script, Step, call, playing, prompts, running, say
from tests.promises import check_log, check_returns, check_thread
from tests.shares import share
from threads.agent.runner import Runner
from threads.live import hub
from threads.models import Run
from threads.turns import ending, post, saving, stop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


@pytest.mark.stress
def test_two_runners_that_come_and_go_share_the_work(alice: User) -> None:
    rooms = [Room.open(alice) for _ in range(4)]
    dice = random.Random(5)
    rounds = share(60, 8)

    async def story() -> None:
        runners = [Runner(), Runner()]
        for runner in runners:
            await runner.start()
        for number in range(rounds):
            for room in rooms:
                await room.say(f"message {number} in {room.id}")
            for _ in range(dice.randrange(30)):
                await asyncio.sleep(0)
            leaving = runners.pop(0)
            coming = Runner()
            await asyncio.gather(leaving.shutdown(5), coming.start())
            runners.append(coming)
        for room in rooms:
            await room.until("idle")
        await asyncio.gather(*(runner.shutdown(5) for runner in runners))

    steps: list[Step] = [[say("well"), call("note", text="a"), call("note", text="b")], say("done")]
    script = Script(*steps * rounds)
    with playing(script):
        asyncio.run(story())
    for room in rooms:
        check_thread(room.id, kills=True)
        check_returns(room.id)
        assert set(Run.objects.filter(thread_id=room.id).values_list("status", flat=True)) == {"completed"}
    check_log(rooms[0].workspace)


@pytest.mark.parametrize("change", [{"kind": "gone"}, {"data": {"title": 1}}])
def test_a_followed_artifact_that_its_kind_no_longer_takes_costs_no_run(
    alice: User, change: dict[str, object]
) -> None:
    room = Room.open(alice)
    document = Handle.for_user(alice, room.workspace).commit(CreateArtifact("document", {"title": "Tea"}))

    async def story() -> None:
        async with running():
            for text in ("first", "second"):
                await room.say(text)
                await room.until("idle")
                await in_database(Artifact.objects.filter(pk=document.artifact).update, **change)

    script = Script(call("read_artifact", artifact=document.artifact), say("read"), say("seen"))
    with playing(script):
        asyncio.run(story())
    assert list(Run.objects.filter(thread_id=room.id).values_list("code", flat=True)) == ["", ""]
    assert document.artifact in prompts(script.requests[-1])[-1]
    check_thread(room.id)


def test_live_parts_leave_when_they_are_durable_and_with_their_turn(alice: User) -> None:
    room, writing, working = Room.open(alice), Gate(), Gate()
    script = Script(
        [say("one two", writing), call("note", text="working")], say("three four", last := Gate())
    )

    def shown() -> list[str]:
        run = hub.get(room.id)
        return [part.text for part in run.parts.values()] if run else []

    async def story() -> None:
        async with running():
            await room.say("go")
            await writing.reached.wait()
            await asyncio.sleep(0)
            assert shown() == ["one"]
            writing.open()
            await working.reached.wait()
            assert shown() == []
            working.open()
            await last.reached.wait()
            await asyncio.sleep(0)
            assert shown() == ["three"]
            await in_database(stop, alice, room.id)
            await room.until("idle")
            await in_database(post, alice, room.id, uuid.uuid4().hex, "and now?")
            await room.until("idle")
        assert hub.get(room.id) is None

    with playing(script, working=working):
        asyncio.run(story())
    check_thread(room.id)


def test_a_turn_that_is_cancelled_as_it_ends_while_the_database_is_away_ends(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, end = Room.open(alice), ending.end
    tries = 0

    async def story() -> None:
        loop, away = asyncio.get_running_loop(), asyncio.Event()

        def away_at_first(*args: Any) -> bool:
            nonlocal tries
            tries += 1
            if tries == 1:
                loop.call_soon_threadsafe(away.set)
                raise OperationalError("the database is away")
            return end(*args)

        monkeypatch.setattr(ending, "end", away_at_first)
        async with running() as runner:
            await room.say("go")
            await away.wait()
            for _ in range(2):
                [turn] = runner._turns.values()
                turn.cancel()
                await asyncio.sleep(0)
            await room.until("idle")

    with playing(Script(say("one two"))):
        asyncio.run(story())
    check_thread(room.id)
    [run] = Run.objects.filter(thread_id=room.id)
    assert (run.status, run.trigger, tries) == ("completed", "message", 2)


def test_a_run_goes_on_after_an_outage_that_is_longer_than_its_patience(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The save before a tool begins is tried in vain: it did not begin, and the model, told so, calls it again."""
    room, save = Room.open(alice), saving.save

    def away_for_long(turn: saving.Turn, *writes: Any) -> Any:
        if turn.claimed.trigger == "message":
            raise OperationalError("the database is away")
        return save(turn, *writes)

    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("idle")

    monkeypatch.setattr(database, "OUTAGE_SECONDS", 0.25)
    monkeypatch.setattr(saving, "save", away_for_long)
    script = Script(call("note", text="a"), call("note", text="a"), say("done"))
    with playing(script) as ran:
        asyncio.run(story())
    check_thread(room.id, kills=True)
    [run] = Run.objects.filter(thread_id=room.id)
    assert (run.status, run.trigger, ran) == ("completed", "continue", ["a"])
