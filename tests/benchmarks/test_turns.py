"""A turn over the bare pydantic-ai run of the same script; a turn in a long thread, and in a workspace with a long log.

Bare is the agent alone: the same model and tools, a handler that looks at every event, and no history. A turn of ours
is a new thread's first, timed from its message to the announcement of its end. The two alternate, so that what else the
machine does meets both. Ratios of the time on the clock are followed by those of this process' own processor time,
which a busy machine disturbs less.
"""

import asyncio
import json
import statistics
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from artifacts import announcing, log
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.members import found_workspace
from artifacts.models import Event, Workspace
from tests.kit import Room, Script, playing, running, tools
from tests.shares import IS_STRESS, share
from threads.agent.assistant import INSTRUCTIONS
from threads.core import events
from threads.turns import create_thread, post

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("connections_closed"),
    pytest.mark.stress,
]

AIM = {"sqlite": 2.0, "postgresql": 2.5}
DELTAS, CALLS = 50, 5
WARM = 2
AT = datetime(2026, 1, 1, tzinfo=UTC)

type Turn = Callable[[], Coroutine[Any, Any, None]]


async def says(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    """A text in fifty pieces."""
    for _ in range(DELTAS):
        yield "word "


async def calls_five(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Five tools, one after the other, and then a word."""
    if (made := _responses_since_the_prompt(messages)) < CALLS:
        yield {0: DeltaToolCall("note", json.dumps({"text": "x"}), tool_call_id=f"{uuid.uuid4().hex}-{made}")}
    else:
        yield "done"


SCRIPTS: dict[str, Any] = {"text": says, "five tools": calls_five}


def _responses_since_the_prompt(messages: list[ModelMessage]) -> int:
    count = 0
    for message in reversed(messages):
        if isinstance(message, ModelRequest) and any(
            part.part_kind == "user-prompt" for part in message.parts
        ):
            return count
        count += isinstance(message, ModelResponse)
    return count


class Played(Script):
    """A script that does the same for each message, in whichever thread."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self.stream = stream

    def model(self) -> FunctionModel:
        return FunctionModel(stream_function=self.stream, model_name="script")


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def bare_turn(script: Any) -> Turn:
    """The same without us."""
    agent = Agent(FunctionModel(stream_function=script), instructions=INSTRUCTIONS, toolsets=[tools])

    async def look(ctx: Any, stream: Any) -> None:
        async for _ in stream:
            pass

    async def turn() -> None:
        await agent.run("hello", event_stream_handler=look)

    return turn


def our_turn(room: Room) -> Turn:
    """A message, until its run has ended."""

    async def turn() -> None:
        ended, loop = asyncio.Event(), asyncio.get_running_loop()

        def hear(workspace: str, written: list[Envelope]) -> None:
            if any(event.type == events.RUN_ENDED and event.thread == room.id for event in written):
                loop.call_soon_threadsafe(ended.set)

        with announcing.hearing(room.workspace, hear):
            await in_database(post, room.user, room.id, uuid.uuid4().hex, "hello")
            await asyncio.wait_for(ended.wait(), 60)

    return turn


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, and of this process' processor."""

    clock: float
    processor: float

    def over(self, other: "Cost") -> str:
        """Both ratios."""
        return f"{self.clock / other.clock:.2f} ({self.processor / other.processor:.2f})"


async def timed(turns: Sequence[Turn]) -> Cost:
    """What it costs when all of these go on at once."""
    clock, processor = time.perf_counter(), time.process_time()
    await asyncio.gather(*(turn() for turn in turns))
    return Cost(time.perf_counter() - clock, time.process_time() - processor)


async def median(turns: Sequence[Turn], rounds: int) -> Cost:
    """The median of so many rounds, once warm."""
    await timed(turns)
    return _median([await timed(turns) for _ in range(rounds)])


def _median(found: Sequence[Cost]) -> Cost:
    return Cost(
        statistics.median(cost.clock for cost in found), statistics.median(cost.processor for cost in found)
    )


@pytest.mark.parametrize(
    "threads", [1, pytest.param(20, marks=pytest.mark.skipif(not IS_STRESS, reason="part of make stress"))]
)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_turn_over_the_bare_run(alice: User, script: str, threads: int) -> None:
    rounds = share(40, 3) if threads == 1 else share(6, 1)

    async def story() -> tuple[Cost, Cost]:
        bare: list[Cost] = []
        ours: list[Cost] = []
        alone = [bare_turn(SCRIPTS[script])] * threads
        async with running():
            for _ in range(rounds + WARM):
                rooms = [await Room.opened(alice) for _ in range(threads)]
                bare.append(await timed(alone))
                ours.append(await timed([our_turn(room) for room in rooms]))
        return _median(bare[WARM:]), _median(ours[WARM:])

    with playing(Played(SCRIPTS[script])):
        bare, ours = asyncio.run(story())
    print(
        f"{connection.vendor}, {script}, {threads} at once: bare {bare.clock * 1000:.1f} ms,"
        f" ours {ours.clock * 1000:.1f} ms, ratio {ours.over(bare)}, aim for one {AIM[connection.vendor]}"
    )
    assert ours.clock > 0


def test_a_turn_in_a_long_thread(alice: User) -> None:
    lengths = [0, 100, 1_000] if IS_STRESS else [0, 20]
    rounds = share(20, 3)
    found: dict[int, Cost] = {}

    async def story() -> None:
        room = await Room.opened(alice)
        turn, taken = our_turn(room), 0
        async with running():
            for length in lengths:
                while taken < length:
                    await turn()
                    taken += 1
                found[length] = await median([turn], rounds)
                taken += rounds + 1

    with playing(Played(says)), sending(tokens=4_000):
        asyncio.run(story())
    said = ", ".join(f"after {length:,} {cost.over(found[0])}" for length, cost in found.items())
    print(f"{connection.vendor}, a text turn over one in an empty thread: {said}")


@contextmanager
def sending(tokens: int) -> Iterator[None]:
    """A bound that a thread of a hundred turns reaches."""
    before, settings.ARTIFACTR_SENT_TOKENS = settings.ARTIFACTR_SENT_TOKENS, tokens
    try:
        yield
    finally:
        settings.ARTIFACTR_SENT_TOKENS = before


def test_a_first_turn_in_a_workspace_with_a_long_log(alice: User) -> None:
    count, rounds = (100_000 if IS_STRESS else 2_000), share(20, 3)
    quiet, long = [str(found_workspace(alice, name).pk) for name in ("Quiet", "Long")]
    fill(long, count)

    async def first_turn(workspace: str) -> Cost:
        room = Room(alice, await in_database(create_thread, alice, workspace, ""))
        return await timed([our_turn(room)])

    async def story() -> tuple[Cost, Cost]:
        async with running():
            found = [(await first_turn(quiet), await first_turn(long)) for _ in range(rounds + WARM)]
        empty, filled = zip(*found[WARM:], strict=True)
        return _median(empty), _median(filled)

    with playing(Played(says)):
        empty, filled = asyncio.run(story())
    print(f"{connection.vendor}, the first turn of a thread, {count:,} events: {filled.over(empty)}, aim 1.2")


def fill(workspace: str, count: int) -> None:
    """Events of a workspace that has been used for long, of a hundred threads."""
    head = log.head(workspace)
    threads = [uuid.uuid4() for _ in range(100)]
    Event.objects.bulk_create(
        (
            Event(
                workspace_id=workspace,
                seq=head + number,
                type=events.AGENT_RESPONDED,
                data={"text": "What was said. " * 8, "run": "", "parts": []},
                actor_kind="agent",
                actor_id="",
                actor_name="Agent",
                at=AT,
                thread=threads[number % 100],
            )
            for number in range(1, count + 1)
        ),
        batch_size=2_000,
    )
    Workspace.objects.filter(pk=workspace).update(head=head + count)
