"""The demo model: scripted, labelled as such on the page, without key or network, and able to show every feature.

It reacts to plain words of the message that it answers, one step after another, and says back, word for word, every
change note and every message that reached it since its last answer.
"""

import asyncio
import json
import re
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from django.conf import settings
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from threads.core.history import FAILED_MARK, RETRIED_MARK, STOPPED_MARK

PIECE = re.compile(r"\S+\s*|\s+")
MESSAGE = re.compile(r'<message author="([^"]*)">\n(.*?)\n</message>', re.DOTALL)
CHANGES = re.compile(r"<workspace-changes>\n(.*?)\n</workspace-changes>", re.DOTALL)
ARTIFACT = re.compile(
    r'<artifact id="([^"]+)" kind="(\w+)" version="(\d+)" title="([^"]*)">\n(.*?)\n</artifact>', re.DOTALL
)
HELP = """\
I am the **demo**: a script, not a language model. I show what an agent can do here. Try one of these:

- *write a document about tea*
- *plan a picnic*
- *change green to black* (in a document that we both see)
- *ask me*
- *propose green to black*, which waits for you to accept it
- *publish*, which needs approval

Put *slowly* anywhere to watch me work, and write to me while I do."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A followed artifact, as the last request shows it."""

    id: str
    kind: str
    version: int
    title: str
    content: str


@dataclass(slots=True)
class Situation:
    """What the demo knows when it is asked: what was said since its last answer, and what it has done about it."""

    asks: list[str] = field(default_factory=list)
    steers: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    returns: list[ToolReturnPart] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    before_stop: list[ToolReturnPart] = field(default_factory=list)
    followed: list[Followed] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The message that it answers, in lower case where words are looked for."""
        return "\n".join(self.asks)


@dataclass(frozen=True, slots=True)
class Say:
    """A final answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Do:
    """Some words, then a tool call."""

    text: str
    tool: str
    arguments: dict[str, Any]


type Step = Callable[[re.Match[str], Situation], Do | str]


async def respond(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
    """Stream the next response."""
    situation = read(messages)
    step = next_step(situation)
    arguments = json.dumps(step.arguments, ensure_ascii=False) if isinstance(step, Do) else ""
    pieces = [*PIECE.findall(step.text)]
    argument_pieces = [arguments[at : at + 12] for at in range(0, len(arguments), 12)]
    slow = re.search(r"\bslowly\b", situation.text, re.IGNORECASE)
    pause = settings.ARTIFACTR_DEMO_SECONDS / 2 / max(1, len(pieces) + len(argument_pieces)) if slow else 0.0
    for piece in pieces:
        await asyncio.sleep(pause)
        yield piece
    if isinstance(step, Do):
        yield {1: DeltaToolCall(step.tool, "", tool_call_id=f"demo-{uuid.uuid4().hex}")}
        for piece in argument_pieces:
            await asyncio.sleep(pause)
            yield {1: DeltaToolCall(json_args=piece)}


DEMO = FunctionModel(stream_function=respond, model_name="demo")
"""The demo as a pydantic-ai model, made as this module is imported: the first model of a process loads a table of
prices, for which a loop that serves would stand still for a third of a second."""


def read(messages: list[ModelMessage]) -> Situation:
    """What happened since the last answer."""
    situation = Situation()
    recent = messages[_start(messages) :]
    for number, message in enumerate(recent):
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, ToolReturnPart):
                situation.returns.append(part)
            elif isinstance(part, UserPromptPart) and isinstance(part.content, str):
                _hear(situation, part.content, is_first=number == 0)
    return situation


def next_step(situation: Situation) -> Do | Say:
    """What to do next: the first thing asked for that is not done yet, or the answer."""
    said: list[str] = []
    done = {part.tool_name: part for part in situation.returns}
    for pattern, tool, begin, report in STEPS:
        if (found := re.search(pattern, situation.text, re.IGNORECASE)) is None:
            continue
        if tool in done:
            said.append(_reported(done[tool], report))
            continue
        step = begin(found, situation)
        if isinstance(step, Do):
            return step
        said.append(step)
    return Say("\n\n".join([*_said_back(situation), *(said or [HELP])]))


def _start(messages: list[ModelMessage]) -> int:
    """Where what it answers now begins: after its last answer, which is a response without a call.

    One that was broken off is no answer: a mark follows it.
    """
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        is_answer = isinstance(message, ModelResponse) and not message.tool_calls
        if is_answer and not _is_marked(messages[index + 1 : index + 2]):
            return index + 1
    return 0


def _is_marked(following: list[ModelMessage]) -> bool:
    contents = [getattr(part, "content", None) for message in following for part in message.parts]
    return STOPPED_MARK in contents or FAILED_MARK in contents


def _hear(situation: Situation, content: str, *, is_first: bool) -> None:
    if content in (STOPPED_MARK, FAILED_MARK):
        # What came before was stopped: it is not to be carried out any more, unless it is tried again.
        situation.stopped = situation.asks or situation.stopped
        situation.asks, situation.steers = [], []
        situation.before_stop, situation.returns = situation.before_stop + situation.returns, []
    elif content == RETRIED_MARK:
        situation.asks, situation.returns = situation.stopped, _done(situation)
    elif content.startswith("<followed-artifacts>"):
        situation.followed = [
            Followed(id, kind, int(version), title, body)
            for id, kind, version, title, body in ARTIFACT.findall(content)
        ]
    elif found := CHANGES.fullmatch(content):
        situation.notes += [line.removeprefix("- ") for line in found[1].split("\n- ")]
    elif found := MESSAGE.fullmatch(content):
        if is_first or not situation.asks:
            situation.asks.append(found[2])
        else:
            situation.steers.append((found[1], found[2]))


def _done(situation: Situation) -> list[ToolReturnPart]:
    """What was done before the stop; what was interrupted then is to be done anew."""
    return [part for part in situation.before_stop if part.outcome == "success"]


def _said_back(situation: Situation) -> list[str]:
    said = []
    if situation.notes:
        said.append("I was told of these changes:\n\n" + "\n".join(f"- {note}" for note in situation.notes))
    if situation.steers:
        heard = "\n".join(f"- {author}: {text}" for author, text in situation.steers)
        said.append(f"While I worked, I also heard:\n\n{heard}")
    return said


def _write(found: re.Match[str], situation: Situation) -> Do:
    subject = found[1].strip(" .!?")
    title = subject[:1].upper() + subject[1:]
    text = (
        f"This is a first draft about {subject}. It is green, as drafts are.\n\n"
        f"## What to say about {subject}\n\n- where it comes from\n- what it is good for\n- who likes it\n\n"
        "## What is open\n\nEverything else: change it as you like, and I will notice.\n"
    )
    return Do(
        f"I write a document about {subject}. ",
        "create_artifact",
        {"kind": "document", "data": {"title": title, "text": text}},
    )


def _plan(found: re.Match[str], situation: Situation) -> Do:
    goal = found[1].strip(" .!?")
    names = (f"Decide what {goal} needs", "Share the work", "Look back at how it went")
    tasks = [{"id": f"t{number}", "name": name, "status": "todo"} for number, name in enumerate(names, 1)]
    return Do(
        f"I make a plan for {goal}. ",
        "create_artifact",
        {"kind": "plan", "data": {"goal": goal, "tasks": tasks}},
    )


def _change(found: re.Match[str], situation: Situation) -> Do | str:
    old, new = found[1].strip(), found[2].strip(" .!?")
    for artifact in situation.followed:
        if artifact.kind == "document" and unescape(artifact.content).count(old) == 1:
            return Do(
                f"I change “{old}” to “{new}” in “{artifact.title}”. ",
                "edit_text",
                {"artifact": artifact.id, "old": old, "new": new},
            )
    return f"None of the documents that I follow has “{old}” exactly once."


def _propose(found: re.Match[str], situation: Situation) -> Do | str:
    """The change that was named, or else a last paragraph for a document whose last line is unlike all others."""
    if found[1]:
        step = _change(found, situation)
        return step if isinstance(step, str) else _proposed(step.arguments)
    for artifact in situation.followed:
        text = unescape(artifact.content)
        last = text.strip().rsplit("\n", 1)[-1]
        if artifact.kind == "document" and last and text.count(last) == 1:
            thought = f"{last}\n\nA thought of the demo: say whom this is for."
            return _proposed({"artifact": artifact.id, "old": last, "new": thought})
    return "There is no document to propose a change of. Ask me to *write a document about tea* first."


def _proposed(arguments: dict[str, Any]) -> Do:
    summary = {"summary": "A suggestion of the demo", "propose": True}
    return Do("I propose a change, which waits for you. ", "edit_text", {**arguments, **summary})


def _ask(found: re.Match[str], situation: Situation) -> Do:
    arguments = {"question": "Which colour should it be?", "choices": ["green", "black", "white"]}
    return Do("I have a question first. ", "ask_user", arguments)


def _publish(found: re.Match[str], situation: Situation) -> Do | str:
    documents = [artifact for artifact in situation.followed if artifact.kind == "document"]
    if not documents:
        return "There is no document to publish yet. Ask me to *write a document about tea* first."
    document = documents[-1]
    return Do(
        f"I would like to publish “{document.title}”, version {document.version}. ",
        "publish_artifact",
        {"artifact": document.id, "version": document.version},
    )


def _reported(part: ToolReturnPart, report: str) -> str:
    """What became of a step: in the demo's words, or in the tool's where it has none."""
    heard = MESSAGE.search(str(part.content))
    if part.outcome == "denied":
        return f"I may not do that: {part.content if heard is None else f'{heard[1]} said “{heard[2]}”'}"
    if part.outcome != "success":
        return f"That did not work: {part.content}"
    if heard is not None:
        return f"{heard[1]} answered: {heard[2]}"
    waits = str(part.content).startswith("Proposed ")
    return f"{part.content}" if waits or not report else report


STEPS: list[tuple[str, str, Step, str]] = [
    (r"\bwrite (?:a |the )?document about ([^,.;\n]+?)(?:,? slowly\b|(?= and (?:ask|publish|propose))|[,.;\n]|$)",
     "create_artifact", _write, "Here it is. Read it, change what you like, and I will notice."),
    (r"^plan ([^,.;\n]+?)(?:,? slowly\b|[,.;\n]|$)",
     "create_artifact", _plan, "The plan is there. Tick off what is done, and I will notice."),
    (r"\bpropose\b(?:(?: to change| changing)? (?!an? change)(.+?) to (.+?)(?:,? slowly\b|[,;\n]|$))?",
     "edit_text", _propose, ""),
    (r"\A(?![\s\S]*\bpropose\b)[\s\S]*?\bchange (.+?) to (.+?)(?:,? slowly\b|[,;\n]|$)",
     "edit_text", _change, "It is changed."),
    (r"\bask me\b", "ask_user", _ask, ""),
    (r"\bpublish\b", "publish_artifact", _publish, ""),
]  # fmt: skip
