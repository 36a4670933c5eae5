"""A paused run and its answers, in whatever order they come: from two people at once, over a restart, by a message."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connections

from artifacts.core.rejections import AlreadyDecided
from artifacts.database import in_database
from artifacts.models import Event
from tests.kit import Gate, Room, Script, Step, ask, call, playing, prompts, running, say
from tests.promises import check_log, check_returns, check_thread, heard_by_the_model
from threads.core import events
from threads.core.decisions import Answer, Approve, Decision
from threads.models import Request, Run
from threads.turns import answer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def room() -> Room:
    return Room.open(User.objects.create_superuser("alice", first_name="Alice"))


def play(story: Callable[[], Awaitable[None]], room: Room, *steps: Step) -> tuple[Script, list[str]]:
    """Play a story to its end, and check every promise after it."""
    script = Script(*steps)
    with playing(script) as ran:
        asyncio.run(story())  # type: ignore[arg-type]  # each is a coroutine function
        done = list(ran)
    check_thread(room.id)
    check_log(room.workspace)
    check_returns(room.id)
    return script, done


def decide(room: Room, tool: str, decision: Decision) -> None:
    request = Request.objects.get(thread_id=room.id, tool=tool, state="open")
    answer(room.user, str(request.pk), decision)


def test_some_are_answered_then_comes_a_restart_and_then_the_rest(room: Room) -> None:
    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("paused")
            await in_database(decide, room, "ask_user", Answer("this"))
        assert await room.status() == "paused"
        async with running() as runner:
            runner.look(room.id)
            assert await room.status() == "paused"
            await in_database(decide, room, "launch", Approve())
            await room.until("idle")

    _, ran = play(story, room, [ask("Which?"), call("launch", what="it"), call("note", text="a")])
    assert ran == ["a", "it"]
    assert Run.objects.get(thread_id=room.id).status == "completed"
    assert heard_by_the_model(room.id) == ["go", "this"]


def test_the_last_answer_comes_where_nothing_runs_and_the_next_start_goes_on(room: Room) -> None:
    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("paused")
        await in_database(decide, room, "launch", Approve())
        async with running():
            await room.until("idle")

    _, ran = play(story, room, call("launch", what="it"))
    assert ran == ["it"]


def test_of_two_answers_at_once_one_stands_and_the_other_is_told_whose(room: Room) -> None:
    bob = User.objects.create_superuser("bob", first_name="Bob")
    start = Barrier(2)

    def decided_by(user: User) -> str:
        try:
            request = Request.objects.get(thread_id=room.id)
            start.wait(10)
            answer(user, str(request.pk), Approve())
            return "stands"
        except AlreadyDecided as refused:
            return str(refused.details["by"])
        finally:
            connections.close_all()

    outcomes: list[str] = []

    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("paused")
            with ThreadPoolExecutor(2) as threads:
                outcomes.extend(threads.map(decided_by, (room.user, bob)))
            await room.until("idle")

    _, ran = play(story, room, call("launch", what="it"))
    assert ran == ["it"]
    first = Request.objects.get(thread_id=room.id).decided_by
    assert sorted(outcomes) == sorted(["stands", first])
    assert Event.objects.filter(thread=room.id, type=events.REQUEST_ANSWERED).count() == 1


def test_a_message_that_was_said_as_the_model_asks_is_no_reply_and_goes_along(room: Room) -> None:
    """It was posted before the pause: nothing is answered by it, and it is delivered with the resumption."""
    asking = Gate()

    async def story() -> None:
        async with running():
            await room.say("go")
            await asking.reached.wait()
            await room.say("by the way")
            asking.open()
            await room.until("paused")
            [request] = await room.open_requests()
            posted = Event.objects.filter(thread=room.id, type=events.MESSAGE_POSTED)
            said = await in_database(lambda: posted.latest("seq").seq)
            paused = Event.objects.filter(thread=room.id, type=events.RUN_PAUSED)
            assert said < (await in_database(lambda: paused.latest("seq").seq))
            await in_database(answer, room.user, str(request.pk), Answer("this"))
            await room.until("idle")

    script, _ = play(story, room, [say("let me ask", asking), ask("Which?")], say("done"))
    assert sum("by the way" in prompt for prompt in prompts(script.requests[-1])) == 1
    [request] = Request.objects.filter(thread_id=room.id)
    assert request.state == "answered"
    assert (request.answer or {})["message"] is None


def test_a_message_after_the_pause_answers_and_declines_at_once(room: Room) -> None:
    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("paused")
            await room.say("neither")
            await room.until("idle")

    _, ran = play(story, room, [ask("Which?"), call("launch", what="it")], say("done"))
    assert ran == []
    assert dict(Request.objects.filter(thread_id=room.id).values_list("kind", "state")) == {
        "question": "answered",
        "approval": "declined",
    }
    assert heard_by_the_model(room.id).count("neither") == 1
    assert Run.objects.filter(thread_id=room.id).count() == 1
