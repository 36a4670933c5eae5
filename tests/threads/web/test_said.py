"""What is read aloud: who did what, in a sentence."""

from datetime import UTC, datetime
from typing import Any

import pytest

from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope
from threads.core import events
from threads.web.said import LONGEST, entries


def event(type: str, **data: Any) -> Envelope:
    return Envelope("w", 1, type, data, Actor("user", "1", "Alice"), datetime.now(UTC), "t")


@pytest.mark.parametrize(
    ("happened", "said"),
    [
        (event(events.MESSAGE_POSTED, content="**Hello**"), ["Alice: Hello"]),
        (event(events.NOTICE_POSTED, content="Lunch?"), ["Alice to people only: Lunch?"]),
        (event(events.AGENT_RESPONDED, text="Hi"), ["Alice: Hi"]),
        (event(events.AGENT_RESPONDED, text=""), []),
        (event(events.QUESTION_ASKED, question="Which?"), ["Alice asks: Which?"]),
        (event(events.APPROVAL_ASKED, tool="publish"), ["Alice asks leave for publish"]),
        (event(events.RUN_ENDED, outcome="failed", reason="It broke."), ["Alice failed: It broke."]),
        (event(events.RUN_ENDED, outcome="stopped"), ["Alice stopped"]),
        (event(events.RUN_ENDED, outcome="completed"), []),
        (event(events.TOOL_CALLED, tool="read"), []),
    ],
)
def test_what_happened_is_a_sentence_or_nothing(happened: Envelope, said: list[str]) -> None:
    assert entries([happened], late=False) == said


def test_no_entry_is_longer_than_one_listens_to() -> None:
    [said] = entries([event(events.MESSAGE_POSTED, content="word " * 10_000)], late=False)
    assert len(said) <= LONGEST + len("Alice: ")


def test_what_comes_late_is_counted_and_not_read() -> None:
    hello = event(events.MESSAGE_POSTED, content="Hello")
    assert entries([hello] * 3, late=True) == ["3 new messages"]
    assert entries([hello], late=True) == ["Alice: Hello"]
