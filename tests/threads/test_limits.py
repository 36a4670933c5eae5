"""Limits: a run that reaches one ends and says so in words; a message beyond one is refused and changes nothing."""

import asyncio
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from artifacts.core.rejections import Rejection
from artifacts.database import in_database
from artifacts.models import Event
from tests.kit import Gate, Room, Script, Step, ask, call, fail, playing, running, say
from tests.promises import check_log, check_thread
from threads.core import events
from threads.core.decisions import Answer
from threads.core.rejections import DayUsedUp, NothingToRetry, TooManyMessages, TooManyRuns
from threads.models import Day, ModelRequest, Run
from threads.turns import answer, post, retry, stop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def play(alice: User, *steps: Step, says: str = "go") -> Run:
    """Play the steps for one message, answering what is asked: its run."""
    room = Room.open(alice)

    async def story() -> None:
        async with running():
            await room.say(says)
            await settled(room)
            while await room.status() == "paused":
                [question] = await room.open_requests()
                await in_database(answer, alice, str(question.pk), Answer("this"))
                await settled(room)

    with playing(Script(*steps)):
        asyncio.run(story())
    check_thread(room.id)
    check_log(room.workspace)
    return Run.objects.get(thread_id=room.id)


async def settled(room: Room, seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while await room.status() == "running":
            await asyncio.sleep(0.005)


def test_a_run_ends_when_it_has_made_as_many_requests_as_one_may(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_REQUESTS = 3
    run = play(alice, *[call("note", text=f"{number}") for number in range(9)])
    assert (run.status, run.code, run.usage["requests"]) == ("failed", "limit", 3)
    assert run.reason == (
        "The run has made the 3 model requests that one may make. Send a message to go on from here."
    )


def test_requests_are_counted_over_pauses(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_REQUESTS = 3
    run = play(alice, *[ask("Which?") for _ in range(9)])
    assert (run.code, run.usage["requests"], run.requests.count()) == ("limit", 3, 3)


def test_what_the_runs_used_that_are_tried_again_counts(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_REQUESTS = 3

    async def story() -> None:
        room = await Room.opened(alice)
        async with running():
            await room.say("go")
            await room.until("paused")
            await in_database(lambda: Run.objects.update(before={"requests": 1, "tool_calls": 7}))
            [question] = await room.open_requests()
            await in_database(answer, alice, str(question.pk), Answer("this"))
            await room.until("idle")

    with playing(Script(ask("Which?"), call("note", text="a"), call("note", text="b"))) as noted:
        asyncio.run(story())
    run = Run.objects.get()
    assert (run.code, run.usage["requests"], noted) == ("limit", 2, ["a"])


def test_a_run_that_is_tried_again_carries_what_the_earlier_one_used(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_REQUESTS = 3
    failed = play(alice, call("note", text="a"), fail())
    assert failed.usage["requests"] == 1
    settings.ARTIFACTR_PERSON_MESSAGES_A_MINUTE = 1
    again = Run.objects.get(pk=retry(alice, str(failed.pk)).run)
    assert again.before == failed.usage
    stop(alice, str(failed.thread_id))
    with pytest.raises(TooManyMessages):
        retry(alice, str(again.pk))


def test_a_run_that_used_what_it_may_is_not_tried_again(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_REQUESTS = 3
    run = play(alice, *[call("note", text=f"{number}") for number in range(9)])
    with pytest.raises(NothingToRetry):
        retry(alice, str(run.pk))


def test_a_workspace_that_has_used_its_day_tries_nothing_again(alice: User, settings: Settings) -> None:
    failed = play(alice, fail())
    Day.objects.update_or_create(
        workspace_id=failed.thread.workspace_id, date=datetime.now(UTC).date(), defaults={"tokens": 1_000}
    )
    settings.ARTIFACTR_WORKSPACE_TOKENS_A_DAY = 1_000
    with pytest.raises(DayUsedUp):
        retry(alice, str(failed.pk))


def test_calls_that_are_too_many_are_not_begun(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_TOOL_CALLS = 2
    three = [call("note", text="b"), call("note", text="c"), call("note", text="d")]
    run = play(alice, call("note", text="a"), [say("now three"), *three])
    assert (run.code, run.usage["tool_calls"]) == ("limit", 4)
    assert Event.objects.filter(type=events.TOOL_CALLED).count() == 1
    assert Event.objects.filter(type=events.AGENT_RESPONDED).get().data["text"] == "now three"


def test_a_run_that_has_used_its_tokens_makes_no_further_request(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_TOKENS = 100
    run = play(alice, call("note", text="a"), call("note", text="b" * 400), call("note", text="c"))
    assert run.code == "limit"
    assert run.usage["requests"] < 3
    assert run.usage["input_tokens"] + run.usage["output_tokens"] >= 100


def test_an_answer_that_goes_beyond_the_tokens_is_kept(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_TOKENS = 100
    assert play(alice, say("word " * 200)).status == "completed"


def test_a_run_that_works_for_too_long_is_ended_and_keeps_what_it_wrote(
    alice: User, settings: Settings
) -> None:
    settings.ARTIFACTR_RUN_SECONDS = 0.4
    run = play(alice, say("first words", Gate()))
    assert (run.status, run.code) == ("failed", "limit")
    assert "0.4 seconds" in run.reason
    assert Event.objects.get(type=events.AGENT_RESPONDED).data["text"] == "first"
    assert run.usage["seconds"] >= 0.4


def test_waiting_for_people_is_no_work(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_SECONDS = 30
    run = play(alice, ask("Which?"), say("thank you"))
    before = run.usage["seconds"]
    assert 0 < before < 5


def test_every_model_request_has_a_row_and_the_run_has_the_sum(alice: User) -> None:
    run = play(alice, call("note", text="a"), [say("and"), ask("Which?")], say("thank you"))
    rows = list(ModelRequest.objects.filter(run=run))
    assert [row.tool_calls for row in rows] == [1, 1, 0]
    assert {row.model for row in rows} == {"script"}
    assert run.usage["requests"] == 3
    assert run.usage["input_tokens"] == sum(row.input_tokens for row in rows) > 0
    assert run.usage["output_tokens"] == sum(row.output_tokens for row in rows) > 0
    assert Day.objects.get().tokens == run.usage["input_tokens"] + run.usage["output_tokens"]
    ended = Event.objects.get(type=events.RUN_ENDED)
    assert ended.data["usage"] == run.usage


def test_a_response_that_breaks_off_has_its_row_too(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_RUN_SECONDS = 0.4
    run = play(alice, say("first words", Gate()))
    assert ModelRequest.objects.filter(run=run).get().output_tokens > 0


def test_a_run_ends_when_its_workspace_has_used_its_day(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_WORKSPACE_TOKENS_A_DAY = 60
    run = play(alice, *[call("note", text="a") for _ in range(9)])
    assert (run.code, run.usage["requests"] < 9) == ("limit", True)
    assert "60 tokens" in run.reason


def test_a_message_in_a_workspace_that_has_used_its_day_is_refused(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_WORKSPACE_TOKENS_A_DAY = 1_000
    room = Room.open(alice)
    Day.objects.create(workspace_id=room.workspace, date=datetime.now(UTC).date(), tokens=1_000)
    with pytest.raises(DayUsedUp) as refused:
        post(alice, room.id, "m", "hello")
    assert refused.value.message.endswith("The agent works again tomorrow.")
    assert not Event.objects.filter(type=events.MESSAGE_POSTED).exists()


def test_more_messages_a_minute_than_one_may_send_are_refused(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_PERSON_MESSAGES_A_MINUTE = 3
    rooms = [Room.open(alice) for _ in range(2)]
    for number in range(3):
        post(alice, rooms[number % 2].id, f"m{number}", "hello")
    for number in range(3):
        assert post(alice, rooms[number % 2].id, f"m{number}", "hello").repeated
    with pytest.raises(TooManyMessages) as refused:
        post(alice, rooms[0].id, "m3", "hello")
    assert 0 < refused.value.details["seconds"] <= 60
    assert Event.objects.filter(type=events.MESSAGE_POSTED).count() == 3


def test_as_many_runs_go_on_for_a_person_as_may(alice: User, settings: Settings) -> None:
    """Those that nobody has taken yet count; one's own that steer or wait do not."""
    settings.ARTIFACTR_PERSON_RUNS = 2
    rooms = [Room.open(alice) for _ in range(3)]
    held = Gate()

    async def story() -> None:
        await rooms[0].say("first")
        await rooms[1].say("second")
        with pytest.raises(TooManyRuns):
            await rooms[2].say("third")
        async with running():
            await held.reached.wait()
            await rooms[0].say("a steer is no run")
            with pytest.raises(Rejection):
                await rooms[2].say("third")
            held.open()
            for room in rooms[:2]:
                await room.until("idle")
            await rooms[2].say("third")
            await rooms[2].until("idle")

    with playing(Script(say("one two", held), say("one two", held), say("one two", held))):
        asyncio.run(story())
    for room in rooms:
        check_thread(room.id)
