"""Turns of an agent, made by the transactions themselves: what a model would do is nothing to the page."""

import uuid
from typing import Any

from django.contrib.auth.models import User

from threads.core import events
from threads.core.limits import Used
from threads.models import Request, Thread
from threads.turns import create_thread, post
from threads.turns.claiming import claim
from threads.turns.ending import Asked, Ending, end
from threads.turns.saving import Fact, Turn, Write, save


def thread_with(user: User, workspace: str, *messages: str) -> Thread:
    """A thread in which somebody said something."""
    thread = create_thread(user, workspace, "A thread")
    for message in messages:
        post(user, str(thread.pk), str(uuid.uuid4()), message)
    return Thread.objects.get(pk=thread.pk)


def turn(thread: Thread) -> Turn:
    """The agent takes the thread."""
    claimed = claim(str(thread.pk), str(uuid.uuid4()), "the tests", "demo")
    assert claimed is not None
    return Turn(claimed)


def says(turn: Turn, text: str, thinking: str = "", parts: tuple[str, ...] = ()) -> None:
    data = {"text": text, "thinking": thinking, "parts": list(parts)}
    save(turn, [Write(str(uuid.uuid4()), [Fact(events.AGENT_RESPONDED, data)])])


def calls(turn: Turn, tool: str, result: str | None, **arguments: object) -> None:
    call = str(uuid.uuid4())
    facts = [Fact(events.TOOL_CALLED, {"call": call, "tool": tool, "arguments": arguments})]
    if result is not None:
        facts.append(Fact(events.TOOL_RETURNED, {"call": call, "outcome": "success", "content": result}))
    save(turn, [Write(str(uuid.uuid4()), facts)])


def asks(turn: Turn, question: str, *choices: str) -> Request:
    """The run pauses with a question."""
    asked = Asked(
        "question", "ask_user", str(uuid.uuid4()), {"question": question}, question, choices=choices
    )
    end(turn, [], Ending("paused", asked=[asked]))
    return Request.objects.get(call=asked.call)


def asks_leave(turn: Turn, tool: str, schema: dict[str, Any] | None = None, **arguments: object) -> Request:
    """The run pauses for an approval."""
    asked = Asked(
        "approval", tool, str(uuid.uuid4()), arguments, description="What it does.", schema=schema or {}
    )
    end(turn, [], Ending("paused", asked=[asked]))
    return Request.objects.get(call=asked.call)


def ends(turn: Turn, outcome: str = "completed", reason: str = "") -> None:
    used = [
        Used("script", input_tokens=1200, output_tokens=90),
        Used("script", input_tokens=40, output_tokens=3),
    ]
    end(turn, [Write("last", [], used=used)], Ending(outcome, code="broke" if reason else "", reason=reason))
