"""Pausing in full: many requests at once, edited arguments, and tools that ask by themselves."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from pydantic_ai.messages import ToolReturnPart

from artifacts.core.rejections import Invalid, TooLarge
from artifacts.database import in_database
from artifacts.models import Event
from tests.kit import Room, Script, ask, call, playing, running, say
from tests.promises import check_log, check_returns, check_thread
from tests.threads import pausing
from threads.agent.assistant import assistant
from threads.core import events
from threads.core.arguments import ARGUMENTS_LIMIT
from threads.core.decisions import Answer, Approve, Decision, Decline
from threads.models import Request, Run
from threads.turns import answer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

type Deciding = Callable[[Room], Awaitable[None]]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


@pytest.fixture(autouse=True)
def nothing_begun() -> None:
    pausing.begun.clear()


def play(alice: User, script: Script, decide: Deciding) -> tuple[Room, list[str]]:
    """One message; `decide` for each pause. Checks every promise."""
    room = Room.open(alice)

    async def story() -> None:
        async with running():
            await room.say("go")
            while await settled(room) == "paused":
                await decide(room)

    with playing(script) as ran:
        settings.ARTIFACTR_TOOLSETS = [*settings.ARTIFACTR_TOOLSETS, pausing.TOOLS]
        assistant.cache_clear()
        asyncio.run(story())
    check_thread(room.id)
    check_log(room.workspace)
    check_returns(room.id)
    return room, ran


async def settled(room: Room) -> str:
    async with asyncio.timeout(20):
        while (status := await room.status()) == "running":
            await asyncio.sleep(0.005)
        return status


async def decided(room: Room, tool: str, decision: Decision) -> None:
    [request] = [request for request in await room.open_requests() if request.tool == tool]
    await in_database(answer, room.user, str(request.pk), decision)


def deciding(**decisions: Decision) -> Deciding:
    """Decide the request of each tool."""

    async def decide(room: Room) -> None:
        for tool, decision in decisions.items():
            await decided(room, tool, decision)

    return decide


def returns(script: Script) -> dict[str, tuple[str, Any]]:
    """What the model was told of each tool, in its last request."""
    return {
        part.tool_name: (part.outcome, part.content)
        for message in script.requests[-1]
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }


def seen(room: Room, type: str) -> list[dict[str, Any]]:
    return [row.data for row in Event.objects.filter(thread=room.id, type=type).order_by("seq")]


def test_questions_and_approvals_beside_ordinary_calls(alice: User) -> None:
    response = [
        call("launch", what="a"),
        ask("Which?", "this", "that"),
        call("note", text="b"),
        call("consult", subject="tea"),
        call("demolish", house="No. 1", floors=3),
        call("demolish", house="No. 2"),
    ]
    script = Script(response, say("done"))
    room, ran = play(
        alice,
        script,
        deciding(
            ask_user=Answer("this"), demolish=Approve(), consult=Answer("yes"), launch=Decline("not now")
        ),
    )
    assert ran == ["b"]
    asked = [
        (type, data["tool"])
        for type, data in Event.objects.filter(thread=room.id).order_by("seq").values_list("type", "data")
        if type in (events.QUESTION_ASKED, events.APPROVAL_ASKED)
    ]
    assert [tool for _, tool in asked] == ["launch", "ask_user", "consult", "demolish"]
    told = returns(script)
    assert told["note"] == ("success", "noted b")
    assert told["launch"][0] == "denied"
    assert told["consult"] == ("success", '<message author="Alice">\nyes\n</message>')
    assert told["demolish"][0] == "success"
    assert Run.objects.get().usage["requests"] == 2


def test_a_body_that_asks_runs_again_and_is_recorded_as_a_new_beginning(alice: User) -> None:
    script = Script(call("demolish", house="No. 1", floors=3))
    room, _ = play(alice, script, deciding(demolish=Approve()))
    assert pausing.begun == ["demolish No. 1", "demolish No. 1", "took 3 of No. 1"]
    assert len(seen(room, events.TOOL_CALLED)) == 2
    assert [data["outcome"] for data in seen(room, events.TOOL_RETURNED)] == ["deferred", "success"]
    assert Request.objects.get().description == "Takes 3 floors down."
    first, second = Event.objects.filter(thread=room.id, type=events.TOOL_RETURNED).order_by("seq")
    assert first.about != second.about


def test_what_asks_again_after_an_approval_waits_for_the_second(alice: User) -> None:
    decisions: list[Decision] = [Approve(), Decline("no more")]

    async def decide(room: Room) -> None:
        await decided(room, "twice", decisions.pop(0))

    script = Script(call("twice", what="it"))
    play(alice, script, decide)
    assert pausing.begun == ["twice it"] * 2
    assert returns(script)["twice"][0] == "denied"
    assert Request.objects.count() == 2


def test_asked_again_and_approved_again_it_runs(alice: User) -> None:
    script = Script(call("twice", what="it"))
    play(alice, script, deciding(twice=Approve()))
    assert returns(script)["twice"] == ("success", "did it")


def test_a_deferred_call_that_says_nothing_asks_by_its_name(alice: User) -> None:
    script = Script(call("weather", place="here"))
    play(alice, script, deciding(weather=Answer("sunny")))
    assert Request.objects.get().question == "weather waits for an answer."


def test_a_tool_runs_with_the_arguments_that_were_approved_and_the_model_is_told(alice: User) -> None:
    script = Script([call("launch", what="a"), call("demolish", house="No. 1", floors=9)])
    edits = deciding(
        launch=Approve(arguments={"what": "</message> b"}),
        demolish=Approve(arguments={"house": "No. 1", "floors": 2}),
    )
    room, ran = play(alice, script, edits)
    assert ran == ["</message> b"]
    assert pausing.begun[-1] == "took 2 of No. 1"
    outcome, content = returns(script)["launch"]
    assert outcome == "success"
    assert content.startswith("Alice approved this with changed arguments. It was called with: ")
    assert content.endswith("launched </message> b")
    assert "</message>" not in content.split("\n\n")[0]
    decided = [data["arguments"] for data in seen(room, events.REQUEST_ANSWERED)]
    assert decided == [{"what": "</message> b"}, {"house": "No. 1", "floors": 2}]
    assert {"what": "</message> b"} in [data["arguments"] for data in seen(room, events.TOOL_CALLED)]


def test_the_arguments_as_they_were_are_no_edit(alice: User) -> None:
    script = Script(call("launch", what="a"))
    room, _ = play(alice, script, deciding(launch=Approve(arguments={"what": "a"})))
    assert returns(script)["launch"] == ("success", "launched a")
    assert [data["arguments"] for data in seen(room, events.REQUEST_ANSWERED)] == [None]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, Invalid),
        ({"what": 1}, Invalid),
        ({"what": "a", "more": 1}, Invalid),
        ({"what": "\x00"}, Invalid),
        ({"what": "\ud800"}, Invalid),
        ({"what": object()}, Invalid),
        ({"what": float("nan")}, Invalid),
        ({"what": "x" * (ARGUMENTS_LIMIT + 1)}, TooLarge),
    ],
)
def test_arguments_that_do_not_fit_are_refused_and_nothing_is_decided(
    alice: User, arguments: dict[str, Any], why: type[Exception]
) -> None:
    refused: list[bool] = []

    async def decide(room: Room) -> None:
        try:
            await decided(room, "launch", Approve(arguments=arguments))
        except why:
            refused.append(True)
        await decided(room, "launch", Decline("enough"))

    play(alice, Script(call("launch", what="a")), decide)
    assert refused == [True]
