"""What each event looks like: every type is drawn, and what is watched is what is reloaded."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest

from artifacts.core import events as artifact_events
from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope
from threads.core import events
from threads.web.things import Thing, draw, draw_changes, gathered

THREAD = "00000000-0000-0000-0000-000000000001"
DATA: dict[str, dict[str, Any]] = {
    events.MESSAGE_POSTED: {"content": "<b>Hello</b>", "reply": False},
    events.AGENT_RESPONDED: {"text": "Hi", "thinking": "Hm", "parts": ["a", "b"]},
    events.TOOL_CALLED: {"call": "c", "tool": "read", "arguments": {"title": "Tea"}},
    events.TOOL_RETURNED: {"call": "c", "outcome": "failed", "content": {"a": 1}},
    events.CHANGES_TOLD: {"notes": ["bob changed “Tea”"]},
    events.QUESTION_ASKED: {"request": THREAD, "question": "Which?", "choices": []},
    events.APPROVAL_ASKED: {"request": THREAD, "tool": "publish", "arguments": {"a": "b"}, "artifacts": []},
    events.NOTICE_POSTED: {"content": "<b>Hello</b>"},
    events.THREAD_RENAMED: {"title": "Tea"},
    events.MODE_CHANGED: {"mode": "suggest"},
    events.DRAFT_SETTLED: {"state": "published", "title": "Tea", "proposal": None},
    events.REQUEST_ANSWERED: {"request": THREAD, "decision": "answered", "answer": "green", "message": None},
    events.RUN_STARTED: {"trigger": "continue"},
    events.RUN_ENDED: {"outcome": "completed", "usage": {}},
    artifact_events.ARTIFACT_CREATED: {"kind": "document", "title": "Tea", "version": 1},
    artifact_events.ARTIFACT_PUBLISHED: {"publication": THREAD, "title": "Tea", "version": 1},
    artifact_events.CHANGE_PROPOSED: {"proposal": THREAD, "title": "Tea", "base": 1, "summary": ""},
}


def event(type: str, seq: int = 1, about: int | None = None, **data: Any) -> Envelope:
    given = {**DATA.get(type, {}), **data}
    actor = Actor("user", "1", "Alice <i>")
    return Envelope("w", seq, type, given, actor, datetime.now(UTC), THREAD, artifact=THREAD, about=about)


def test_a_suggested_change_leads_to_where_it_is_decided() -> None:
    html = draw(Thing(event(artifact_events.CHANGE_PROPOSED)))
    assert f'href="/proposals/{THREAD}/"' in html
    assert "suggests a change of <strong>Tea</strong>" in html


def test_what_was_made_leads_to_itself() -> None:
    html = draw(Thing(event(artifact_events.ARTIFACT_CREATED)))
    assert f'href="/artifacts/{THREAD}/"' in html
    assert "made the document <strong>Tea</strong>" in html


@pytest.mark.parametrize("type", [*events.ALL, *artifact_events.ALL])
def test_every_event_leaves_exactly_one_element(type: str) -> None:
    html = draw(Thing(event(type, seq=7)))
    assert html.count('id="event-7"') == 1
    assert html.count('data-seq="7"') == 1
    assert f'data-type="{type}"' in html
    assert "<i>" not in html.replace("<i id", "")
    assert "hx-swap-oob" not in html


@pytest.mark.parametrize(
    ("creates", "changes"),
    [
        (events.MESSAGE_POSTED, events.MESSAGE_DELIVERED),
        (events.MESSAGE_POSTED, events.MESSAGE_WITHDRAWN),
        (events.TOOL_CALLED, events.TOOL_RETURNED),
        (events.QUESTION_ASKED, events.REQUEST_ANSWERED),
        (events.APPROVAL_ASKED, events.REQUEST_ANSWERED),
    ],
)
def test_the_parts_that_are_replaced_are_the_parts_that_a_reload_draws(creates: str, changes: str) -> None:
    created, change = event(creates, 1), event(changes, 2, about=1)
    thing = gathered([created, change])[1]
    reloaded = draw(thing)
    parts = draw_changes(thing, change)
    assert parts.count("hx-swap-oob") >= 1
    for part in re.split(r"(?=<\w+ [^>]*hx-swap-oob)", parts):
        if "delete" not in part:
            assert part.replace(' hx-swap-oob="outerHTML"', "").strip() in reloaded
    assert "<form" not in parts
    assert "<details" not in parts


@pytest.mark.parametrize("type", [*events.ALL, *artifact_events.ALL])
def test_no_element_is_too_wide_for_a_message(type: str) -> None:
    long = "+-*/ " * 60_000
    words = ("text", "content", "thinking", "question", "reason", "description", "answer")
    data: dict[str, Any] = dict.fromkeys(words, f"```c\n{long}")
    data["arguments"] = {f"{number} {long}": long for number in range(3)} | {str(n): "x" for n in range(9000)}
    data["notes"] = [long] * 9
    data["title"] = "A title is at most 200 characters long"
    thing = Thing(
        event(type, **data), {events.TOOL_RETURNED: event(events.TOOL_RETURNED, 2, 1, content=long)}
    )
    assert len(draw(thing)) < 200_000
