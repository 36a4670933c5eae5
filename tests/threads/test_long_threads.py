"""Long threads: what is sent is bounded, what is stored is everything, and a turn costs no more for what was before."""

import asyncio

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pydantic_ai.messages import ModelRequest, ToolReturnPart, UserPromptPart
from pytest_django.fixtures import Settings

from tests.kit import Room, Script, call, playing, prompts, running, say
from tests.promises import check_log, check_thread, heard_by_the_model, stored_messages
from tests.threads import odd
from threads.agent import history
from threads.agent.window import fitted
from threads.core.history import LEFT_OUT
from threads.core.limits import LimitReached
from threads.models import Run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def play(alice: User, script: Script, messages: int, *toolsets: str) -> Room:
    room = Room.open(alice)

    async def story() -> None:
        async with running():
            for number in range(messages):
                await room.say(f"message {number}")
                await room.until("idle")

    with playing(script):
        settings.ARTIFACTR_TOOLSETS = [*settings.ARTIFACTR_TOOLSETS, *toolsets]
        asyncio.run(story())
    check_thread(room.id)
    check_log(room.workspace)
    return room


def test_a_model_is_sent_the_last_whole_turns_and_told_that_others_are_left_out(
    alice: User, settings: Settings
) -> None:
    settings.ARTIFACTR_SENT_TOKENS = 1_000
    script = Script(*[say(f"answer {number} " + "word " * 60) for number in range(20)])
    room = play(alice, script, 20)
    sent = prompts(script.requests[-1])
    assert sent[0] == LEFT_OUT
    assert "message 19" in sent[-1]
    assert 3 < len(sent) < 15
    assert prompts(script.requests[0])[0] != LEFT_OUT
    assert len(heard_by_the_model(room.id)) == 20


def test_what_is_left_out_is_never_stored(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_SENT_TOKENS = 300
    room = play(alice, Script(*[say("word " * 60) for _ in range(8)]), 8)
    assert LEFT_OUT not in str(stored_messages(room.id))


def test_the_results_of_a_long_run_are_cut_as_they_are_sent_and_stored_whole(
    alice: User, settings: Settings
) -> None:
    settings.ARTIFACTR_SENT_TOKENS = 2_000
    script = Script(call("give", what="huge text"), call("give", what="huge text"), say("done"))
    room = play(alice, script, 1, odd.TOOLS)
    assert Run.objects.get().status == "completed"
    sent = [
        part for message in script.requests[-1] for part in message.parts if isinstance(part, ToolReturnPart)
    ]
    assert [len(str(part.content)) < 8_000 for part in sent] == [True, True]
    assert "characters are left out here" in str(sent[0].content)
    assert str(stored_messages(room.id)).count("x" * 2_000_000) == 2


def results(*texts: str) -> list[ModelRequest]:
    return [ModelRequest(parts=[ToolReturnPart("note", text, tool_call_id=text[:1])]) for text in texts]


def test_the_oldest_results_are_cut_first_and_only_as_far_as_is_needed() -> None:
    messages = [ModelRequest(parts=[UserPromptPart("go")]), *results("a" * 9_000, "b" * 9_000, "c" * 9_000)]
    sent = fitted(messages, 4_500)
    lengths = [len(str(getattr(part, "content", ""))) for message in sent for part in message.parts]
    assert lengths[0] == 2
    assert lengths[1] < 2_000
    assert lengths[2] < 9_000
    assert lengths[3] == 9_000
    assert sum(lengths) <= 4_500 * 4
    assert fitted(messages, 10_000) == messages


def test_what_cannot_be_cut_ends_the_run() -> None:
    with pytest.raises(LimitReached, match="grown beyond the 1,000 tokens"):
        fitted([ModelRequest(parts=[UserPromptPart("x" * 9_000)])], 1_000)


def test_loading_reads_no_more_of_a_long_thread_than_it_sends(alice: User) -> None:
    room = play(alice, Script(*[say("word " * 60) for _ in range(30)]), 30)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert len(history.load(room.id, 100)) < 6
    assert len(queries) == 1
