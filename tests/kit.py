"""A scripted model, gates, and a thread to play in: the only things that are not real in these tests.

A `Script` is what the model says, one step a request: `say("...")`, `call("tool", argument=...)`, `ask("...")`, or a
list of these for one response. `fail(error)` breaks off. A step may hold a `Gate`. The script is reached as any model
of an installation is: by `ARTIFACTR_MODEL = "python:tests.kit:current"`.
"""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import (
    AgentInfo,
    DeltaThinkingCalls,
    DeltaThinkingPart,
    DeltaToolCall,
    DeltaToolCalls,
    FunctionModel,
)
from pydantic_ai.toolsets import FunctionToolset

from artifacts.database import in_database
from threads.agent.assistant import assistant
from threads.agent.runner import Runner
from threads.models import Request, Thread
from threads.turns import create_thread, post

MODEL = "python:tests.kit:current"
TOOLS = "tests.kit.tools"

type Checkpoint = Callable[[str], Awaitable[None]]


class Gate:
    """Holds whoever comes to it until it is opened; `reached` says that somebody did."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._open = asyncio.Event()

    async def pass_through(self) -> None:
        self.reached.set()
        await self._open.wait()

    def open(self) -> None:
        self._open.set()


@dataclass(frozen=True)
class Say:
    text: str
    gate: Gate | None = None


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class Think:
    text: str


@dataclass(frozen=True)
class Fail:
    error: Exception


type Part = Say | Call | Think | Fail
type Step = Part | Sequence[Part]
type Piece = str | DeltaToolCalls | DeltaThinkingCalls


def say(text: str, gate: Gate | None = None) -> Say:
    """The model says something, word by word; with a gate it waits there after the first word."""
    return Say(text, gate)


def call(tool: str, **arguments: Any) -> Call:
    """The model calls a tool."""
    return Call(tool, arguments)


def ask(question: str, *choices: str) -> Call:
    """The model asks the people."""
    return Call("ask_user", {"question": question, "choices": list(choices)})


def fail(error: Exception | None = None) -> Fail:
    """The model breaks off."""
    return Fail(error or RuntimeError("the script breaks off"))


class Script:
    """A model that says one step a request, and "done" once it has no more.

    `requests` are what it was sent, `responses` how many it answered to the end.
    """

    def __init__(self, *steps: Step, checkpoint: Checkpoint | None = None) -> None:
        self.steps = list(steps)
        self.requests: list[list[ModelMessage]] = []
        self.responses = 0
        self.checkpoint = checkpoint or _no_checkpoint

    def model(self) -> FunctionModel:
        return FunctionModel(stream_function=self.respond, model_name="script")

    async def respond(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Piece]:
        self.requests.append(messages)
        step = self.steps.pop(0) if self.steps else say("done")
        parts = step if isinstance(step, Sequence) else [step]
        for number, part in enumerate(parts):
            async for piece in self._said(number, part):
                yield piece
        self.responses += 1

    async def _said(self, number: int, part: Part) -> AsyncIterator[Piece]:
        await self.checkpoint("model")
        match part:
            case Fail(error):
                raise error
            case Say(text, gate):
                first, *rest = text.split(" ")
                yield first
                if gate is not None:
                    await gate.pass_through()
                for word in rest:
                    await self.checkpoint("model")
                    yield f" {word}"
            case Think(text):
                yield {number: DeltaThinkingPart(content=text)}
            case Call(tool, arguments, id):
                written = json.dumps(arguments)
                made = id or f"call-{uuid.uuid4().hex}"
                yield {number: DeltaToolCall(tool, written[:5], tool_call_id=made)}
                await self.checkpoint("model")
                yield {number: DeltaToolCall(json_args=written[5:])}


async def _no_checkpoint(where: str) -> None:
    return None


_scripts: list[Script] = []
tools: FunctionToolset[Any] = FunctionToolset()
_tool_gates: dict[str, Gate] = {}
_tool_runs: list[str] = []


def current() -> FunctionModel:
    """The model of the script that plays."""
    return _scripts[-1].model()


@tools.tool_plain
async def note(text: str) -> str:
    """Write something down."""
    await _scripts[-1].checkpoint("tool")
    _tool_runs.append(text)
    if gate := _tool_gates.get(text):
        await gate.pass_through()
    return f"noted {text}"


@tools.tool_plain(requires_approval=True)
async def launch(what: str) -> str:
    """Do something that needs leave."""
    await _scripts[-1].checkpoint("tool")
    _tool_runs.append(what)
    return f"launched {what}"


@contextmanager
def playing(script: Script, **gates: Gate) -> Iterator[list[str]]:
    """Let a script be the model; gives the texts that the tools `note` and `launch` were run with.

    `gates` hold `note` open at the texts that they are named for.
    """
    _scripts.append(script)
    before, settings.ARTIFACTR_MODEL = settings.ARTIFACTR_MODEL, MODEL
    toolsets, settings.ARTIFACTR_TOOLSETS = settings.ARTIFACTR_TOOLSETS, [TOOLS]
    _tool_gates.clear()
    _tool_gates.update(gates)
    _tool_runs.clear()
    assistant.cache_clear()
    try:
        yield _tool_runs
    finally:
        settings.ARTIFACTR_MODEL, settings.ARTIFACTR_TOOLSETS = before, toolsets
        assistant.cache_clear()
        _scripts.pop()


class Room:
    """A thread and a person in it, as async calls."""

    def __init__(self, user: User, thread: Thread) -> None:
        self.user = user
        self.id = str(thread.pk)
        self.workspace = str(thread.workspace_id)

    @classmethod
    async def opened(cls, user: User, title: str = "") -> "Room":
        """A new thread in the person's own workspace."""
        return await in_database(cls.open, user, title)

    @classmethod
    def open(cls, user: User, title: str = "") -> "Room":
        """A new thread in the person's own workspace."""
        workspace = user.memberships.get().workspace_id
        return cls(user, create_thread(user, str(workspace), title))

    async def say(self, text: str) -> int:
        """Post a message; its `seq`."""
        return (await in_database(post, self.user, self.id, uuid.uuid4().hex, text)).seq

    async def status(self) -> str:
        """`idle`, `running` or `paused`; a thread that has work counts as running."""
        return await in_database(self.status_now)

    def status_now(self) -> str:
        thread = Thread.objects.select_related("run").get(pk=self.id)
        waiting = thread.status == "idle" and thread.asked_seq > thread.taken_seq
        return "running" if waiting or thread.claim is not None else thread.status

    async def until(self, status: str, seconds: float = 20) -> None:
        """Return once the thread is in this state. Polls: what it waits for may be another process' doing."""
        async with asyncio.timeout(seconds):
            while await self.status() != status:
                await asyncio.sleep(0.005)

    async def open_requests(self) -> list[Request]:
        """What the thread's run waits for."""
        return await in_database(lambda: list(Request.objects.filter(thread_id=self.id, state="open")))


@asynccontextmanager
async def running() -> AsyncIterator[Runner]:
    """A Runner for the duration of a block."""
    runner = Runner()
    await runner.start()
    try:
        yield runner
    finally:
        await runner.shutdown(0)


def prompts(messages: Sequence[ModelMessage]) -> list[str]:
    """All user prompts in what a model was sent."""
    return [
        part.content
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    ]
