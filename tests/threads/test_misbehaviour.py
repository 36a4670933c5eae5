"""Models and tools that misbehave: each run ends, its history is valid, and the next message is answered."""

import asyncio
import json
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from pydantic_ai import RunContext
from pydantic_ai.run import AgentRunResult

from artifacts.database import in_database
from artifacts.models import Event
from tests.kit import Call, Room, Script, Step, Think, ask, call, playing, running, say
from tests.promises import check_log, check_returns, check_thread, stored_messages
from tests.threads import odd
from threads.agent import capability, history
from threads.agent.assistant import assistant
from threads.agent.session import Session
from threads.core import events
from threads.core.decisions import QUESTION, Answer, Approve
from threads.models import Run
from threads.turns import answer
from threads.turns.ending import Ending

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def play(alice: User, *steps: Step) -> tuple[Room, list[str]]:
    """Play the steps for one message, approving and answering, then say another: the room, and how the runs ended."""
    room = Room.open(alice)

    async def story() -> None:
        async with running():
            for text in ("first", "second"):
                await room.say(text)
                while await settled(room) == "paused":
                    for request in await room.open_requests():
                        decision = Answer("this") if request.kind == QUESTION else Approve()
                        await in_database(answer, alice, str(request.pk), decision)

    with playing(Script(*steps)):
        settings.ARTIFACTR_TOOLSETS = [*settings.ARTIFACTR_TOOLSETS, odd.TOOLS]
        assistant.cache_clear()
        asyncio.run(story())
    check_thread(room.id)
    check_log(room.workspace)
    check_returns(room.id)
    return room, list(Run.objects.filter(thread_id=room.id).values_list("code", flat=True))


async def settled(room: Room, seconds: float = 20) -> str:
    async with asyncio.timeout(seconds):
        while (status := await room.status()) == "running":
            await asyncio.sleep(0.005)
        return status


def results(room: Room) -> list[tuple[str, object]]:
    """The outcome and content of each call, as the log has them."""
    returned = Event.objects.filter(thread=room.id, type=events.TOOL_RETURNED).order_by("seq")
    return [(event.data["outcome"], event.data["content"]) for event in returned]


@pytest.mark.parametrize("what", odd.ODD)
def test_whatever_a_tool_returns_the_run_goes_on(alice: User, what: str) -> None:
    room, codes = play(alice, call("give", what=what), say("well"))
    assert codes == ["", ""]
    [(outcome, _)] = results(room)
    assert outcome == "success"


def test_a_tool_that_breaks_fails_its_run_and_tells_nothing_of_its_inside(alice: User) -> None:
    room, codes = play(alice, [call("burst"), call("note", text="a")])
    assert codes == ["internal", ""]
    assert "secret" not in str(results(room))


@pytest.mark.parametrize("id", ["same", "x" * 3_000, "odd id \x00 <b>"])
def test_a_call_id_used_again_is_another_call(alice: User, id: str) -> None:
    twice = Call("note", {"text": "a"}, id), Call("note", {"text": "b"}, id)
    room, codes = play(
        alice, twice[0], twice, [Call("launch", {"what": "c"}, id), Call("note", {"text": "d"}, id)]
    )
    assert codes == ["", ""]
    assert sorted(str(content) for _, content in results(room)) == [
        "launched c",
        "noted a",
        "noted a",
        "noted b",
        "noted d",
    ]


def test_an_id_of_an_earlier_run_is_another_call(alice: User) -> None:
    room, codes = play(
        alice, Call("launch", {"what": "a"}, "x"), say("well"), Call("launch", {"what": "b"}, "x")
    )
    assert codes == ["", ""]
    assert [content for _, content in results(room)] == ["launched a", "launched b"]


def test_numbers_that_are_none_can_be_asked_for(alice: User) -> None:
    room, codes = play(alice, call("weigh", grams=float("nan")), call("weigh", grams=float("inf")))
    assert codes == ["", ""]
    assert len(results(room)) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {"kind": "x" * 5_000, "data": {"title": "T"}},
        {"kind": "a\x00b", "data": {"title": "a\x00b", "text": "\ud800"}},
        {"kind": "document", "data": {"title": float("nan"), "text": [1]}},
        {"kind": "plan", "data": {"tasks": {"a": 1}}},
        {"kind": "plan", "data": {"tasks": [1, None], "goal": {"x": 1}}},
        {"kind": "document", "data": []},
    ],
)
def test_a_draft_of_anything_costs_no_run(alice: User, arguments: dict[str, object]) -> None:
    _, codes = play(alice, call("create_artifact", **arguments), say("sorry"))
    assert codes == ["", ""]


def test_questions_that_do_not_fit_are_told_to_the_model(alice: User) -> None:
    wrong = [call("ask_user"), call("ask_user", question=1, choices="x")]
    room, codes = play(alice, wrong, ask("Which \x00?", "a\x00"), say("thank you"))
    assert codes == ["", ""]
    assert [outcome for outcome, _ in results(room)] == ["retried", "retried"]


@pytest.mark.parametrize("step", [say(""), Think("hm"), [Think("hm"), say("")]])
def test_a_response_without_words_ends_and_the_next_message_is_answered(alice: User, step: Step) -> None:
    _, codes = play(alice, step, step, step)
    assert codes[-1] == ""


def test_words_after_calls_are_kept(alice: User) -> None:
    room, codes = play(alice, [call("note", text="a"), say("and so on"), Think("hm")], say("done"))
    assert codes == ["", ""]
    [said] = Event.objects.filter(thread=room.id, type=events.AGENT_RESPONDED, data__text="and so on")
    assert said.data["thinking"] == "hm"


def test_a_model_that_never_learns_ends_by_the_limit_of_requests_and_not_by_rejections(alice: User) -> None:
    wrong = call("read_artifact", artifact="nonsense")
    room, codes = play(alice, *[[wrong, wrong, call("read_artifact", artifact="\x00")]] * 60)
    assert codes[0] == "limit"
    assert len(results(room)) > 100


def test_what_is_stored_is_what_pydantic_ai_says_is_new(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each turn stores what it was given with its claim, and after that the new messages of its run."""
    new: list[Any] = []
    ending = capability._ending

    def recorded(result: AgentRunResult[Any], ctx: RunContext[Session]) -> Ending:
        new.extend(parts(json.loads(history.dumped(result.new_messages()) or "[]")))
        return ending(result, ctx)

    monkeypatch.setattr(capability, "_ending", recorded)
    room, _ = play(
        alice,
        [say("well"), call("note", text="a"), call("note", wrong=1), call("launch", what="b"), ask("Which?")],
        [call("launch", what="c"), call("note", text="d"), Think("hm")],
        say("done"),
    )
    stored = parts(stored_messages(room.id))
    given = [part for part in stored if part not in new]
    assert [part for part in stored if part in new] == new
    assert [part["part_kind"] for part in given] == ["user-prompt", "tool-return", "user-prompt"]


def parts(messages: list[Any]) -> list[Any]:
    return [part for message in messages for part in message["parts"]]
