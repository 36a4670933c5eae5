"""A run acts for the person who started it, as long as they may; and strangers find nothing."""

import asyncio
import uuid
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from artifacts.core.rejections import Forbidden, Invalid, NotFound, Rejection, TooLarge
from artifacts.core.rules import EDITOR, OWNER, VIEWER
from artifacts.database import in_database
from artifacts.members import add_member, remove_member
from artifacts.models import Event, Membership
from tests.kit import Gate, Room, Script, Step, ask, call, playing, running, say
from tests.promises import check_log, check_returns, check_thread, stored_messages
from threads.core import events
from threads.core.decisions import Answer, Approve, Decline
from threads.core.rejections import MessageIdReused
from threads.models import Request, Run
from threads.turns import answer, create_thread, post, stop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", first_name="Alice")


@pytest.fixture
def owner(alice: User) -> User:
    owner = User.objects.create_user("olga")
    Membership.objects.create(user=owner, workspace=alice.memberships.get().workspace, role=OWNER)
    Membership.objects.filter(user=alice).update(role=EDITOR)
    return owner


def removed(owner: User, alice: User, workspace: str) -> None:
    remove_member(owner, workspace, alice)


def demoted(owner: User, alice: User, workspace: str) -> None:
    add_member(owner, workspace, alice, VIEWER)


def deactivated(owner: User, alice: User, workspace: str) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)


def deleted(owner: User, alice: User, workspace: str) -> None:
    User.objects.filter(pk=alice.pk).delete()


LEAVING = [removed, demoted, deactivated, deleted]


def mid_run(alice: User, owner: User, leave: Callable[[User, User, str], None], *steps: Step) -> Room:
    """Play the steps; Alice leaves while the tool `note` is at work on `held`."""
    room, held = Room.open(alice), Gate()

    async def story() -> None:
        async with running():
            await room.say("go")
            await held.reached.wait()
            await in_database(leave, owner, alice, room.workspace)
            held.open()
            await room.until("idle")
            await in_database(post, owner, room.id, uuid.uuid4().hex, "and now?")
            await room.until("idle")

    with playing(Script(*steps), held=held) as ran:
        asyncio.run(story())
    assert ran == ["held"]
    check_thread(room.id)
    check_log(room.workspace)
    check_returns(room.id)
    first, second = Run.objects.filter(thread_id=room.id)
    assert (first.status, first.code, second.status) == ("failed", "not_permitted", "completed")
    return room


@pytest.mark.parametrize("leave", LEAVING)
def test_no_tool_begins_for_somebody_who_may_no_longer(
    alice: User, owner: User, leave: Callable[[User, User, str], None]
) -> None:
    room = mid_run(alice, owner, leave, call("note", text="held"), [say("so far"), call("note", text="next")])
    said = Event.objects.filter(thread=room.id, type=events.AGENT_RESPONDED).values_list(
        "data__text", flat=True
    )
    assert "so far" in said


def test_what_was_done_before_is_told_as_it_was(alice: User, owner: User) -> None:
    """The held tool ends well, and what it returned is saved with the end."""
    room = mid_run(alice, owner, removed, call("note", text="held"), call("note", text="next"))
    told = [str(part.get("content")) for message in stored_messages(room.id) for part in message["parts"]]
    assert "noted held" in told
    assert "This call was not started." in told


def test_an_approval_does_not_let_a_tool_run_for_somebody_who_left(alice: User, owner: User) -> None:
    room = Room.open(alice)
    reviewer = User.objects.create_superuser("root")

    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("paused")
            await in_database(removed, owner, alice, room.workspace)
            [request] = await room.open_requests()
            await in_database(answer, reviewer, str(request.pk), Approve())
            await room.until("idle")

    with playing(Script(call("launch", what="it"))) as ran:
        asyncio.run(story())
    assert ran == []
    assert Run.objects.get(thread_id=room.id).code == "not_permitted"
    check_thread(room.id)
    check_returns(room.id)


def test_a_stranger_finds_no_thread_and_no_request(alice: User) -> None:
    room = Room.open(alice)
    charlie = User.objects.create_user("charlie")

    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("paused")

    with playing(Script([ask("Which?"), call("launch", what="it")])):
        asyncio.run(story())
    question, approval = Request.objects.filter(thread_id=room.id)
    for attempt in (
        lambda: post(charlie, room.id, "1", "hello"),
        lambda: stop(charlie, room.id),
        lambda: answer(charlie, str(question.pk), Answer("this")),
        lambda: answer(charlie, str(approval.pk), Approve()),
        lambda: create_thread(charlie, room.workspace),
    ):
        with pytest.raises(NotFound):
            attempt()
    with pytest.raises(Forbidden):
        answer(alice, str(approval.pk), Decline("no"))


@pytest.mark.parametrize("id", ["", "x", "\x00", "0" * 40, "{}", str(uuid.UUID(int=4)), "１２３", "\ud800"])
def test_what_is_no_id_is_not_found(alice: User, id: str) -> None:
    for attempt in (
        lambda: post(alice, id, "1", "hello"),
        lambda: stop(alice, id),
        lambda: answer(alice, id, Answer("this")),
        lambda: create_thread(alice, id),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_a_message_id_is_one_message_however_its_thread_is_spelled(alice: User) -> None:
    room = Room.open(alice)
    first = post(alice, room.id, "m", "hello")
    for spelled in (room.id.upper(), room.id.replace("-", ""), f"{{{room.id}}}"):
        again = post(alice, spelled, "m", "hello")
        assert (again.seq, again.repeated) == (first.seq, True)
    with pytest.raises(MessageIdReused):
        post(alice, room.id, "m", "other words")


@pytest.mark.parametrize(
    ("message_id", "content", "why"),
    [
        ("m", "", Invalid),
        ("m", " \n", Invalid),
        ("m", "a\x00", Invalid),
        ("m", "\ud800", Invalid),
        ("", "hello", Invalid),
        ("\x00", "hello", Invalid),
        ("m" * 65, "hello", TooLarge),
        ("m", "x" * 100_001, TooLarge),
    ],
)
def test_a_message_that_does_not_fit_is_refused(
    alice: User, message_id: str, content: str, why: type[Rejection]
) -> None:
    room = Room.open(alice)
    with pytest.raises(why):
        post(alice, room.id, message_id, content)
    assert not Event.objects.filter(thread=room.id, type=events.MESSAGE_POSTED).exists()
