"""What waits for room is taken in a fair order; a turn that is told to leave leaves nothing half done."""

import asyncio
import uuid

import pytest
from django.contrib.auth.models import User
from django.test import override_settings

from artifacts.database import in_database
from artifacts.models import Event
from tests.kit import Gate, Room, Script, call, playing, running, say
from tests.promises import check_log, check_thread
from threads.agent.runner import Runner
from threads.core import events
from threads.models import Thread
from threads.turns import post
from threads.turns.claiming import claim
from threads.turns.holding import threads_with_work
from threads.web.standing import standing

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


@pytest.fixture
def bob() -> User:
    return User.objects.create_user("bob", first_name="Bob")


def asking(user: User, count: int) -> list[Room]:
    """Rooms in which somebody said something, one after another."""
    rooms = [Room.open(user) for _ in range(count)]
    for room in rooms:
        post(user, room.id, uuid.uuid4().hex, "go")
    return rooms


def test_each_workspace_has_its_turn_and_within_it_who_waits_longest(alice: User, bob: User) -> None:
    first, second, third = asking(alice, 3)
    [theirs] = asking(bob, 1)
    assert threads_with_work() == [room.id for room in (first, theirs, second, third)]
    assert threads_with_work(2) == [first.id, theirs.id]
    assert claim(first.id, str(uuid.uuid4()), "somebody") is not None
    assert threads_with_work() == [room.id for room in (theirs, second, third)]
    post(alice, second.id, uuid.uuid4().hex, "go on")  # a second message loses nobody their place
    assert threads_with_work() == [room.id for room in (theirs, second, third)]


def test_what_waits_for_room_is_seen_as_waiting(alice: User) -> None:
    [room] = asking(alice, 1)

    def word() -> str:
        return standing(Thread.objects.select_related("run").get(pk=room.id)).word

    assert word() == "Waiting to start"
    assert claim(room.id, str(uuid.uuid4()), "somebody") is not None
    assert word() == "Working"


def starts() -> list[str]:
    rows = Event.objects.filter(type=events.RUN_STARTED).order_by("at", "seq")
    return [str(thread) for thread in rows.values_list("thread", flat=True)]


@override_settings(ARTIFACTR_TURNS=2)
def test_a_process_runs_no_more_turns_at_once_than_it_is_set_to_and_the_rest_in_order(alice: User) -> None:
    gates = [Gate() for _ in range(5)]
    script = Script(*(say("one two", gate) for gate in gates))

    async def story() -> list[Room]:
        rooms = []
        async with running() as runner:
            for _ in gates:
                rooms.append(await Room.opened(alice))
                await rooms[-1].say("go")
                await asyncio.sleep(0.05)
            for number, gate in enumerate(gates):
                await gate.reached.wait()
                assert len(runner._turns) <= 2
                assert len(await in_database(starts)) == min(number + 2, 5) or number == 0
                gate.open()
                if number + 2 < len(gates):
                    await gates[number + 2].reached.wait()
            for room in rooms:
                await room.until("idle")
        return rooms

    with playing(script):
        rooms = asyncio.run(story())
    assert starts() == [room.id for room in rooms]


def test_a_turn_that_is_told_to_leave_finishes_its_tools_and_asks_for_nothing_more(alice: User) -> None:
    gate = Gate()
    script = Script(call("note", text="slow"), say("done"))

    async def story(room: Room) -> int:
        leaving = Runner()
        await leaving.start()
        await room.say("go")
        await gate.reached.wait()
        shutdown = asyncio.create_task(leaving.shutdown(10))
        await asyncio.sleep(0.05)
        assert not shutdown.done()
        gate.open()
        await shutdown
        asked = len(script.requests)
        async with running():
            await room.until("idle")
        return asked

    room = Room.open(alice)
    with playing(script, slow=gate) as ran:
        asked = asyncio.run(story(room))
    assert (asked, ran) == (1, ["slow"])
    log = list(Event.objects.filter(thread=room.id).order_by("seq"))
    assert [event.data["outcome"] for event in log if event.type == events.TOOL_RETURNED] == ["success"]
    assert [event.data["trigger"] for event in log if event.type == events.RUN_STARTED] == [
        "message",
        "continue",
    ]
    check_thread(room.id, kills=True)
    check_log(room.workspace)


def test_a_turn_that_does_not_come_to_a_safe_point_is_cut_in_time(alice: User) -> None:
    gate = Gate()

    async def story(room: Room) -> float:
        leaving = Runner()
        await leaving.start()
        await room.say("go")
        await gate.reached.wait()
        began = asyncio.get_running_loop().time()
        await leaving.shutdown(0.3)
        return asyncio.get_running_loop().time() - began

    room = Room.open(alice)
    with playing(Script(say("one two", gate))):
        seconds = asyncio.run(story(room))
    assert 0.3 <= seconds < 4
    assert threads_with_work() == [room.id]
