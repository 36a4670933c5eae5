"""Claims and ends that a turn's holder does not make: lapsed, abandoned, stopped from outside; and who is alive."""

import asyncio
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError, connection
from django.utils import timezone

from artifacts.core.commands import CreateArtifact
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.models import Event
from tests.kit import Gate, Room, Script, ask, call, playing, running, say
from tests.promises import check_log, check_returns, check_thread
from threads.agent.life import LOOKS, FileLocks, Life
from threads.agent.vigil import LAPSED_LOOKS, Vigil
from threads.core import events
from threads.core.decisions import Answer, Approve
from threads.core.rejections import ChangedMeanwhile, NothingToStop
from threads.models import Request, Run, Thread
from threads.turns import answer, ending, holding, post, saving, stop
from threads.turns.claiming import Claimed, claim
from threads.turns.ending import Asked, Ending
from threads.turns.holding import renew, threads_with_work
from threads.turns.saving import Fact, Turn, Write
from threads.turns.writing import ClaimLost

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


@pytest.fixture
def room(alice: User) -> Room:
    return Room.open(alice)


def said(room: Room, text: str) -> None:
    post(room.user, room.id, uuid.uuid4().hex, text)


def tried(room: Room) -> Claimed | None:
    """A claim by a process of its own, if it gets it."""
    return claim(room.id, str(uuid.uuid4()), "somebody")


def taken(room: Room) -> Claimed:
    """A claim by a process of its own."""
    claimed = tried(room)
    assert claimed is not None
    return claimed


def lapse(room: Room) -> None:
    """Whoever holds the thread is dead, and that was found out."""
    Thread.objects.filter(pk=room.id).exclude(claim=None).update(claimed_until=None)


def go_silent(room: Room) -> None:
    """Whoever holds the thread has not renewed the claim in time."""
    Thread.objects.filter(pk=room.id).update(claimed_until=timezone.now() - timedelta(seconds=1))


def codes(room: Room) -> list[tuple[str, str]]:
    return list(Run.objects.filter(thread_id=room.id).values_list("status", "code"))


def test_three_attempts_without_a_save_abandon_the_run_and_the_next_message_is_taken(room: Room) -> None:
    said(room, "one")
    triggers = []
    for _ in range(3):
        claimed = taken(room)
        triggers.append(claimed.trigger)
        lapse(room)
    assert triggers == ["message", "continue", "continue"]
    assert tried(room) is None
    assert codes(room) == [("failed", "abandoned")]
    said(room, "two")
    with playing(Script()):
        asyncio.run(served(room))
    check_thread(room.id, kills=True)
    assert codes(room)[1:] == [("completed", "")]


async def served(room: Room) -> None:
    async with running():
        await room.until("idle")


def test_a_message_that_waits_is_taken_by_the_claim_that_abandons_the_run_before_it(room: Room) -> None:
    said(room, "one")
    for _ in range(3):
        taken(room)
        lapse(room)
    said(room, "two")
    claimed = taken(room)
    assert claimed.trigger == "message"
    assert [status for status, _ in codes(room)] == ["failed", "running"]


def test_a_save_begins_the_attempts_anew(room: Room) -> None:
    said(room, "one")
    for number in range(6):
        claimed = taken(room)
        if number % 2:
            message = '[{"kind": "response", "parts": [{"part_kind": "text", "content": "x"}]}]'
            saving.save(Turn(claimed), [Write("1", [Fact(events.AGENT_RESPONDED, {"text": "x"})], message)])
        lapse(room)
    assert codes(room) == [("running", "")]


def test_a_clock_that_is_ahead_takes_no_thread_from_the_living(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(room, "one")
    taken(room)
    ahead = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr("django.utils.timezone.now", lambda: ahead)
    assert threads_with_work() == []
    assert tried(room) is None
    assert stop(room.user, room.id).ended is False


def test_a_clock_that_is_behind_holds_no_thread_too_short(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(room, "one")
    with monkeypatch.context() as patch:
        behind = timezone.now() - timedelta(hours=1)
        patch.setattr("django.utils.timezone.now", lambda: behind)
        claimed = taken(room)
        assert threads_with_work() == []
        assert renew([claimed.token]) == {claimed.token}
    assert threads_with_work() == []
    assert tried(room) is None


def test_a_holder_whose_token_stands_renews_however_late(room: Room) -> None:
    said(room, "one")
    claimed = taken(room)
    lapse(room)
    assert threads_with_work() == [room.id]
    assert renew([claimed.token]) == {claimed.token}
    assert threads_with_work() == []
    assert tried(room) is None
    lapse(room)
    taken(room)
    assert renew([claimed.token]) == set()
    with pytest.raises(ClaimLost):
        ending.end(Turn(claimed), [], Ending("completed"))


def test_a_stop_is_asked_for_once(room: Room) -> None:
    said(room, "one")
    claimed = taken(room)
    first = stop(room.user, room.id)
    assert (first.ended, stop(room.user, room.id).seq) == (False, first.seq)
    ending.end(Turn(claimed), [], Ending("failed", "internal"))
    assert codes(room) == [("stopped", "")]
    with pytest.raises(NothingToStop):
        stop(room.user, room.id)
    assert Event.objects.filter(thread=room.id, type=events.STOP_REQUESTED).count() == 1


def test_a_stop_ends_a_run_whose_holder_is_dead(room: Room) -> None:
    said(room, "one")
    claimed = taken(room)
    lapse(room)
    assert stop(room.user, room.id).ended
    assert codes(room) == [("stopped", "")]
    with pytest.raises(ClaimLost):
        ending.end(Turn(claimed), [], Ending("completed"))


def test_a_stop_of_a_paused_and_of_a_ready_run_withdraws_what_is_open(alice: User, room: Room) -> None:
    async def asked(text: str) -> None:
        async with running():
            await room.say(text)
            await room.until("paused")

    for answers in (0, 1, 2):
        with playing(Script([call("launch", what="it"), ask("Which?"), call("note", text="a")])):
            asyncio.run(asked(f"go {answers}"))
        waiting = list(Request.objects.filter(thread_id=room.id, state="open"))
        for request in waiting[:answers]:
            answer(alice, str(request.pk), Approve() if request.kind == "approval" else Answer("this"))
        assert stop(alice, room.id).ended
        assert not Request.objects.filter(thread_id=room.id, state="open").exists()
    with playing(Script()):
        said(room, "and now?")
        asyncio.run(served(room))
    check_thread(room.id)
    check_log(room.workspace)
    check_returns(room.id)


def test_an_approval_names_every_artifact_however_many_ids_stand_before_it(alice: User, room: Room) -> None:
    artifact = (
        Handle.for_user(alice, room.workspace).commit(CreateArtifact("document", {"title": "T"})).artifact
    )
    said(room, "one")
    claimed = taken(room)
    padding = [str(uuid.uuid4()) for _ in range(50)]
    asked = Asked("approval", "launch", "c", {"padding": padding, "artifact": artifact})
    ending.end(Turn(claimed), [], Ending("paused", asked=[asked]))
    request = Request.objects.get(thread_id=room.id)
    with pytest.raises(ChangedMeanwhile):
        answer(alice, str(request.pk), Approve())


def test_a_draft_of_a_stopped_run_is_left_as_far_as_it_was_written(alice: User, room: Room) -> None:
    text = "word " * 50
    gate = Gate()
    script = Script(
        [call("create_artifact", kind="document", data={"title": "T", "text": text}), say("a b", gate)]
    )

    async def story() -> None:
        async with running():
            await room.say("go")
            await gate.reached.wait()
            await in_database(stop, alice, room.id)
            await room.until("idle")

    with playing(script):
        asyncio.run(story())
    run = Run.objects.get(thread_id=room.id)
    [draft] = run.drafts.all()
    assert (draft.state, draft.data.get("text")) == ("left", text)


def test_a_lock_whose_file_is_gone_is_taken_again() -> None:
    if connection.vendor != "sqlite":
        pytest.skip("files are SQLite's way")
    mine, theirs = FileLocks(), FileLocks()
    mine.keep("me")
    assert theirs.free(["me"]) == set()
    for path in Path(str(connection.settings_dict["NAME"])).with_suffix(".owners").iterdir():
        path.unlink()
    assert theirs.free(["me"]) == {"me"}
    mine.keep("me")
    assert theirs.free(["me"]) == set()
    mine.release()
    assert theirs.free(["me"]) == {"me"}


def test_a_lock_that_was_lost_and_taken_again_in_time_kills_nobody() -> None:
    living, judge = Life("living"), Life("judge")
    living.keep()
    judge.keep()
    assert judge.dead_of(["living", "judge"]) == set()
    living.release()
    for _ in range(LOOKS - 1):
        assert judge.dead_of(["living", "judge"]) == set()
    living.keep()
    assert judge.dead_of(["living"]) == set()
    living.release()
    found = [judge.dead_of(["living"]) for _ in range(LOOKS)]
    assert found in (
        [*[set()] * (LOOKS - 1), {"living"}],
        [set()] * LOOKS,  # a PostgreSQL that just started judges nobody
    )
    judge.release()


@pytest.fixture
def somebody() -> Iterator[None]:
    """Whoever claims in these tests shows that they live: only their claims may lapse."""
    life = Life("somebody")
    life.keep()
    yield
    life.release()


def vigil(found: list[str]) -> Vigil:
    return Vigil(f"judge {uuid.uuid4()}", tokens=lambda: (), lost=lambda _: None, found=found.extend)


@pytest.mark.usefixtures("somebody")
def test_a_claim_that_stays_lapsed_is_given_up_and_not_before(room: Room) -> None:
    said(room, "one")
    claimed = taken(room)
    judge = vigil([])
    go_silent(room)
    for _ in range(LAPSED_LOOKS - 1):
        assert judge.look() == []
        assert tried(room) is None
    assert renew([claimed.token]) == {claimed.token}  # the database was away: its holder is late, not dead
    for _ in range(LAPSED_LOOKS):
        assert judge.look() == []
    go_silent(room)
    assert [judge.look() for _ in range(LAPSED_LOOKS)][-1] == [room.id]
    assert taken(room).run == claimed.run
    asyncio.run(judge.close())


@pytest.mark.usefixtures("somebody")
async def test_looks_count_only_in_a_row_while_the_database_answers(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    await room.say("one")
    await in_database(taken, room)
    await in_database(go_silent, room)
    found: list[str] = []
    judge = vigil(found)
    for _ in range(LAPSED_LOOKS - 1):
        await judge.look_once()
    with monkeypatch.context() as away:
        away.setattr(holding, "lapsed", unreachable)
        await judge.look_once()
    for _ in range(LAPSED_LOOKS - 1):
        await judge.look_once()
    assert found == []
    await judge.look_once()
    assert found == [room.id]
    await judge.close()


def unreachable() -> set[str]:
    raise OperationalError("gone")
