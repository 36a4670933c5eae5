"""Which of a thread's turns are sent: whole ones, the last first, and no chunk is read that is not needed."""

import json
from collections.abc import Iterator

from threads.core.history import CHARACTERS_A_TOKEN, Message, Stored, message_prompt, prompt, recent, request


def asks(text: str) -> Message:
    return request([prompt(message_prompt("Alice", text))])


def says(text: str, length: int = 0) -> Message:
    return {"kind": "response", "parts": [{"part_kind": "text", "content": text.ljust(length, ".")}]}


def turn(number: int, length: int = 400) -> list[Stored]:
    """A turn as it is stored: what it was given, and what it answered."""
    run = f"run-{number}"
    return [
        Stored(run, json.dumps([asks(f"ask {number}")])),
        Stored(run, json.dumps([says(f"say {number}", length)])),
    ]


def thread(turns: int, length: int = 400) -> list[Stored]:
    return [chunk for number in range(turns) for chunk in turn(number, length)]


def texts(messages: list[Message]) -> list[str]:
    return [message["parts"][0]["content"].strip(".") for message in messages]


class Read:
    """Chunks, newest first, that count how many are read."""

    def __init__(self, chunks: list[Stored]) -> None:
        self.chunks = chunks
        self.count = 0

    def __iter__(self) -> Iterator[Stored]:
        for chunk in reversed(self.chunks):
            self.count += 1
            yield chunk


def test_all_is_sent_that_fits() -> None:
    messages, is_cut = recent(Read(thread(3)), 10_000)
    assert (len(messages), is_cut) == (6, False)
    assert texts(messages)[1::2] == ["say 0", "say 1", "say 2"]


def test_whole_turns_are_kept_from_the_end() -> None:
    three = sum(len(chunk.messages) for chunk in thread(3))
    messages, is_cut = recent(Read(thread(10)), three // CHARACTERS_A_TOKEN + 1)
    assert is_cut
    assert "ask 7" in texts(messages)[0]
    assert texts(messages)[1::2] == ["say 7", "say 8", "say 9"]


def test_the_last_turn_is_kept_whatever_it_takes() -> None:
    messages, is_cut = recent(Read(thread(3, length=9_000)), 10)
    assert is_cut
    assert texts(messages)[1::2] == ["say 2"]


def test_no_more_is_read_than_is_sent_and_what_shows_that_it_is_enough() -> None:
    for turns in (10, 1_000):
        chunks = Read(thread(turns))
        recent(chunks, 500)
        assert chunks.count < 14


def test_a_steer_begins_no_turn() -> None:
    steered = [*turn(0), Stored("run-0", json.dumps([asks("steer")])), *turn(0)[1:]]
    messages, is_cut = recent(Read([*thread(1), *steered]), 1)
    assert not is_cut
    assert "ask 0" in texts(messages)[0]


def test_change_notes_before_a_message_begin_a_turn_with_it() -> None:
    noted = request([prompt("<workspace-changes>\n- a\n</workspace-changes>"), *asks("noted")["parts"]])
    messages, is_cut = recent(Read([*thread(2), Stored("run-9", json.dumps([noted]))]), 1)
    assert is_cut
    assert len(messages) == 1


def test_a_mark_with_a_message_after_it_begins_no_turn() -> None:
    marked = request([prompt("<turn-retried/>"), *asks("by the way")["parts"]])
    messages, _ = recent(Read([*thread(2), Stored("again", json.dumps([marked]))]), 1)
    assert "ask 1" in texts(messages)[0]


def test_a_run_that_tries_another_again_goes_with_it() -> None:
    failed = [
        Stored("failed", json.dumps([asks("the prompt")])),
        Stored("failed", json.dumps([request([prompt("<turn-failed/>")])])),
    ]
    again = [Stored("again", json.dumps([says("at last", 4_000)]))]
    messages, is_cut = recent(Read([*thread(2), *failed, *again]), 100)
    assert is_cut
    assert "the prompt" in texts(messages)[0]
    assert len(messages) == 3
