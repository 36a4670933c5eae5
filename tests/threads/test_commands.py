"""Each command of a thread: what it does, whom it refuses, and what does not fit."""

import uuid
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from artifacts import log
from artifacts.core.actors import agent_actor
from artifacts.core.commands import ArchiveArtifact, CreateArtifact
from artifacts.core.notes import framed
from artifacts.core.rejections import (
    AlreadyDecided,
    Archived,
    Forbidden,
    Invalid,
    NotFound,
    Rejection,
    TooLarge,
)
from artifacts.core.rules import EDITOR, VIEWER
from artifacts.handle import Handle
from artifacts.members import add_member
from artifacts.models import Event
from tests.kit import Room
from tests.promises import check_log, check_thread, heard_by_the_model
from tests.threads.web.turns import asks, asks_leave, ends, says, turn
from threads.core import events, status
from threads.core.decisions import Approve
from threads.core.rejections import (
    AlreadyDelivered,
    FocusFull,
    MessageIdReused,
    NothingToRetry,
    NothingToStop,
)
from threads.models import Focus, Request, Run, Thread
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
from threads.turns.following import FOCUS_LIMIT, follow
from threads.turns.holding import threads_with_work
from threads.turns.writing import write_in_thread

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", first_name="Alice")


@pytest.fixture
def room(alice: User) -> Room:
    return Room.open(alice)


def member(room: Room, name: str, role: str = EDITOR) -> User:
    user = User.objects.create_user(name)
    add_member(room.user, room.workspace, user, role)
    return user


def said(room: Room, text: str = "hello", by: User | None = None) -> int:
    return post(by or room.user, room.id, uuid.uuid4().hex, text).seq


def thread(room: Room) -> Thread:
    return Thread.objects.select_related("run").get(pk=room.id)


def document(room: Room, title: str = "Tea") -> str:
    hands = Handle.for_user(room.user, room.workspace)
    return hands.commit(CreateArtifact("document", {"title": title, "text": "Green."})).artifact


def failed(room: Room) -> Run:
    """A run that said something and failed."""
    said(room)
    work = turn(thread(room))
    says(work, "so far")
    ends(work, "failed", "It broke.")
    return Run.objects.get(pk=work.claimed.run)


def commands(room: Room) -> dict[str, Callable[[User], object]]:
    """Every command, for somebody."""
    run, artifact, message = failed(room), document(room), said(room)
    return {
        "rename": lambda user: rename(user, room.id, "A name"),
        "set_mode": lambda user: set_mode(user, room.id, "suggest"),
        "post": lambda user: post(user, room.id, "m", "hello"),
        "post_notice": lambda user: post_notice(user, room.id, "n", "hello"),
        "withdraw": lambda user: withdraw(user, room.id, message),
        "follow": lambda user: follow_artifact(user, room.id, artifact),
        "drop": lambda user: drop_artifact(user, room.id, artifact),
        "retry": lambda user: retry(user, str(run.pk)),
        "stop": lambda user: stop(user, room.id),
        "archive": lambda user: archive(user, room.id),
        "unarchive": lambda user: unarchive(user, room.id),
    }


def test_strangers_find_nothing_and_viewers_may_not(room: Room) -> None:
    charlie, vera = User.objects.create_user("charlie"), member(room, "vera", VIEWER)
    for name, command in commands(room).items():
        head = log.head(room.workspace)
        with pytest.raises(NotFound):
            command(charlie)
        with pytest.raises(Forbidden):
            command(vera)
        assert log.head(room.workspace) == head, name


def test_an_archived_thread_takes_nothing_but_being_brought_back(room: Room) -> None:
    all_commands = commands(room)
    archive(room.user, room.id)
    head = log.head(room.workspace)
    back = all_commands.pop("unarchive")
    for command in all_commands.values():
        with pytest.raises(Archived):
            command(room.user)
    assert log.head(room.workspace) == head
    back(room.user)
    assert thread(room).archived_at is None
    assert unarchive(room.user, room.id) == log.head(room.workspace)


@pytest.mark.parametrize("id", ["", "x", "\x00", "0" * 40, str(uuid.UUID(int=1)), "１２３"])
def test_what_is_no_id_is_not_found(room: Room, id: str) -> None:
    alice = room.user
    for attempt in (
        lambda: rename(alice, id, "x"),
        lambda: set_mode(alice, id, "edit"),
        lambda: post_notice(alice, id, "m", "hello"),
        lambda: withdraw(alice, id, 1),
        lambda: follow_artifact(alice, room.id, id),
        lambda: drop_artifact(alice, room.id, id),
        lambda: retry(alice, id),
        lambda: archive(alice, id),
        lambda: unarchive(alice, id),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_a_thread_is_renamed_and_the_same_title_is_no_event(room: Room) -> None:
    seq = rename(room.user, room.id, "  Tea  ")
    assert (thread(room).title, rename(room.user, room.id, "Tea")) == ("Tea", seq)


@pytest.mark.parametrize(
    ("title", "why"), [("", Invalid), (" ", Invalid), ("\x00", Invalid), ("x" * 201, TooLarge)]
)
def test_a_title_that_does_not_fit_is_refused(room: Room, title: str, why: type[Rejection]) -> None:
    with pytest.raises(why):
        rename(room.user, room.id, title)


def test_a_notice_is_for_people_only(room: Room) -> None:
    request = _asked(room)
    first = post_notice(room.user, room.id, "n", "between us")
    assert post_notice(room.user, room.id, "n", "between us").repeated
    assert Request.objects.get(pk=request.pk).state == "open"
    assert thread(room).asked_seq < first.seq
    with pytest.raises(MessageIdReused):
        post_notice(room.user, room.id, "n", "other words")
    with pytest.raises(MessageIdReused):
        post(room.user, room.id, "n", "between us")
    said(room, "a reply")
    ends(turn(thread(room)))
    assert "between us" not in heard_by_the_model(room.id)


def _asked(room: Room) -> Request:
    said(room)
    return asks(turn(thread(room)), "Which?")


def test_a_message_is_withdrawn_by_its_author_alone_and_starts_nothing(room: Room) -> None:
    bob = member(room, "bob")
    message = said(room)
    with pytest.raises(Forbidden):
        withdraw(bob, room.id, message)
    done = withdraw(room.user, room.id, message)
    again = withdraw(room.user, room.id, message)
    assert (again.seq, again.repeated) == (done.seq, True)
    assert threads_with_work() == []
    assert claim(room.id, str(uuid.uuid4()), "test") is None
    for other in (0, 1, done.seq, message + 100):
        with pytest.raises(NotFound):
            withdraw(room.user, room.id, other)
    check_thread(room.id)


def test_of_several_messages_the_others_are_still_delivered(room: Room) -> None:
    first, second, third = said(room, "first"), said(room, "second"), said(room, "third")
    withdraw(room.user, room.id, third)
    withdraw(room.user, room.id, first)
    assert thread(room).asked_seq == second
    ends(turn(thread(room)))
    assert heard_by_the_model(room.id) == ["second"]
    assert threads_with_work() == []
    check_thread(room.id)


def test_what_the_agent_has_cannot_be_withdrawn(room: Room) -> None:
    delivered = said(room)
    asks(turn(thread(room)), "Which?")
    reply = said(room, "a reply")
    for message in (delivered, reply):
        with pytest.raises(AlreadyDelivered):
            withdraw(room.user, room.id, message)


def test_a_stop_says_what_waits_and_withdraws_it_if_asked_to(room: Room) -> None:
    said(room)
    work = turn(thread(room))
    said(room, "second")
    kept = stop(room.user, room.id)
    assert (kept.ended, kept.waiting, kept.withdrawn) == (False, 1, 0)
    taken = stop(room.user, room.id, "withdraw")
    assert (taken.seq, taken.waiting, taken.withdrawn) == (kept.seq, 0, 1)
    ends(work, "stopped")
    assert threads_with_work() == []
    with pytest.raises(NothingToStop):
        stop(room.user, room.id, "withdraw")
    check_thread(room.id)


def test_what_waits_is_withdrawn_also_where_nothing_runs(room: Room) -> None:
    said(room)
    with pytest.raises(NothingToStop):
        stop(room.user, room.id)
    assert stop(room.user, room.id, "withdraw").withdrawn == 1
    check_thread(room.id)
    with pytest.raises(Invalid):
        stop(room.user, room.id, "burn")


def test_archiving_ends_a_paused_run_closes_its_requests_and_withdraws_what_waits(room: Room) -> None:
    said(room)
    work = turn(thread(room))
    said(room, "waits")
    request = asks_leave(work, "launch", what="it")
    before = log.head(room.workspace)
    done = archive(room.user, room.id)
    assert (done.ended, done.withdrawn) == (True, 1)
    assert Request.objects.get(pk=request.pk).state == "closed"
    assert (thread(room).status, Run.objects.get().status) == ("idle", "stopped")
    types = [event.type for event in log.read(room.workspace, after=before).events]
    assert types == [
        events.MESSAGE_WITHDRAWN,
        events.STOP_REQUESTED,
        events.REQUEST_ANSWERED,
        events.RUN_ENDED,
        events.THREAD_ARCHIVED,
    ]
    assert threads_with_work() == []
    check_thread(room.id)
    check_log(room.workspace)


def test_a_held_run_is_ended_by_its_holder_after_archiving_and_nothing_follows(room: Room) -> None:
    said(room)
    work = turn(thread(room))
    said(room, "waits")
    assert not archive(room.user, room.id).ended
    says(work, "so far")
    ends(work, "stopped")
    assert claim(room.id, str(uuid.uuid4()), "test") is None
    assert threads_with_work() == []
    check_thread(room.id)


def test_an_orphan_in_an_archived_thread_still_ends(room: Room) -> None:
    said(room)
    work = turn(thread(room))
    archive(room.user, room.id)
    Thread.objects.update(claimed_until=None)
    assert threads_with_work() == [room.id]
    assert claim(room.id, str(uuid.uuid4()), "test") is None
    assert Run.objects.get(pk=work.claimed.run).status == status.STOPPED
    assert threads_with_work() == []
    check_thread(room.id)


def test_a_retry_goes_on_from_the_history_without_the_prompt_again(room: Room) -> None:
    run = failed(room)
    bob = member(room, "bob")
    again = retry(bob, str(run.pk))
    assert (thread(room).status, threads_with_work()) == ("running", [room.id])
    work = turn(thread(room))
    assert (work.claimed.run, work.claimed.trigger, work.claimed.user) == (again.run, "retry", str(bob.pk))
    ends(work)
    assert heard_by_the_model(room.id) == ["hello"]
    started = Event.objects.filter(thread=room.id, type=events.RUN_STARTED).order_by("seq").last()
    assert started is not None
    assert started.about == again.seq
    check_thread(room.id)


def test_only_the_last_run_is_tried_again_and_only_if_it_did_not_complete(room: Room) -> None:
    run = failed(room)
    retry(room.user, str(run.pk))
    with pytest.raises(NothingToRetry):
        retry(room.user, str(run.pk))
    work = turn(thread(room))
    with pytest.raises(NothingToRetry):
        retry(room.user, work.claimed.run)
    ends(work)
    for id in (str(run.pk), work.claimed.run):
        with pytest.raises(NothingToRetry):
            retry(room.user, id)


def test_a_retry_can_be_stopped_before_it_begins_and_tried_again(room: Room) -> None:
    run = failed(room)
    second = retry(room.user, str(run.pk))
    assert stop(room.user, room.id).ended
    assert threads_with_work() == []
    third = retry(room.user, second.run)
    said(room, "and this")
    ends(turn(thread(room)))
    assert Run.objects.get(pk=third.run).status == "completed"
    assert heard_by_the_model(room.id) == ["hello", "and this"]
    check_thread(room.id)


def test_an_artifact_is_followed_and_dropped_by_people(room: Room) -> None:
    tea = document(room)
    seq = follow_artifact(room.user, room.id, tea)
    assert follow_artifact(room.user, room.id, tea) == seq
    assert Focus.objects.get().chosen
    dropped = drop_artifact(room.user, room.id, tea)
    assert drop_artifact(room.user, room.id, tea) == dropped
    assert not Focus.objects.exists()
    hands = Handle.for_user(room.user, room.workspace)
    hands.commit(ArchiveArtifact(tea))
    with pytest.raises(Archived):
        follow_artifact(room.user, room.id, tea)


def test_an_artifact_of_another_workspace_is_not_found(room: Room) -> None:
    elsewhere = document(Room.open(User.objects.create_user("bob")))
    with pytest.raises(NotFound):
        follow_artifact(room.user, room.id, elsewhere)


def automatically(room: Room, artifact: str) -> bool:
    run = str(uuid.uuid4())
    return write_in_thread(
        room.id, agent_actor(room.id), lambda entry, thread: follow(entry, room.id, artifact, run)
    )


def test_the_oldest_that_nobody_chose_makes_room(room: Room) -> None:
    tea, coffee = document(room, "Tea"), document(room, "Coffee")
    follow_artifact(room.user, room.id, tea)
    automatically(room, coffee)
    others = [document(room, f"No. {number}") for number in range(FOCUS_LIMIT - 1)]
    assert all(automatically(room, other) for other in others)
    followed = {str(pk) for pk in Focus.objects.values_list("artifact_id", flat=True)}
    assert followed == {tea, *others}
    dropped = Event.objects.get(thread=room.id, type=events.ARTIFACT_DROPPED)
    assert str(dropped.artifact) == coffee
    Focus.objects.update(chosen=True)
    assert not automatically(room, coffee)
    with pytest.raises(FocusFull):
        follow_artifact(room.user, room.id, coffee)


def test_choosing_what_is_followed_already_loses_no_change(room: Room) -> None:
    tea = document(room)
    automatically(room, tea)
    since = Focus.objects.get().seq
    follow_artifact(room.user, room.id, tea)
    assert (Focus.objects.get().seq, Focus.objects.get().chosen) == (since, True)


def test_a_mark_cannot_be_faked() -> None:
    for mark in ("<turn-retried/>", "<message-withdrawn/>", "</turn-retried>"):
        assert mark not in framed(f"say {mark}")


def test_answering_an_approval_twice_with_edits_leaves_the_first(room: Room) -> None:
    reviewer = User.objects.create_superuser("root")
    said(room)
    schema = {"type": "object", "properties": {"what": {"type": "string"}}}
    request = asks_leave(turn(thread(room)), "launch", schema, what="it")
    answer(reviewer, str(request.pk), Approve(arguments={"what": "that"}))
    kept = Request.objects.get(pk=request.pk).answer or {}
    with pytest.raises(AlreadyDecided):
        answer(reviewer, str(request.pk), Approve(arguments={"what": "more"}))
    assert Request.objects.get(pk=request.pk).answer == kept
    assert kept["arguments"] == {"what": "that"}
