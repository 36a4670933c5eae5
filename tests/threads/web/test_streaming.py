"""Text that is still being written, by blocks: what is sent bit by bit adds up to what a reload shows."""

import random

import pytest

from artifacts.web.prose import LIMIT, render
from tests.artifacts.web.test_prose import random_text
from threads.web.streaming import Position, Stream


class Watched:
    """A page that keeps what it is sent, as the browser does."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.done = self.open = self.tail = ""
        self.position: Position | None = None
        self.received = 0

    def look(self) -> None:
        growth = self.stream.since(self.position)
        if growth is None:
            return
        self.done = growth.finished if growth.anew else self.done + growth.finished
        if growth.open is not None:
            self.open, self.tail = growth.open, ""
        self.tail += growth.appended
        self.position = growth.position
        self.received += len(growth.finished) + len(growth.open or "") + len(growth.appended)


@pytest.mark.parametrize("seed", range(400))
def test_finished_blocks_and_the_rest_are_the_whole(seed: int) -> None:
    text, chance = random_text(seed), random.Random(seed)
    stream = Stream()
    steady, slow = Watched(stream), Watched(stream)
    written = 0
    while written < len(text):
        written += chance.randint(1, 12)
        stream.grow(text[:written])
        steady.look()
        if chance.random() < 0.2:
            slow.look()
    slow.look()
    late = Watched(stream)
    late.look()
    assert stream.end() == render(text)
    assert render(text).startswith(steady.done)
    assert (steady.done, steady.open, steady.tail) == (slow.done, slow.open, slow.tail)
    assert (steady.done, steady.open, steady.tail) == (late.done, late.open, late.tail)


def test_one_long_block_costs_a_small_multiple_of_its_text() -> None:
    text = "```python\n" + "x = 1  # a line\n" * 900
    stream = Stream()
    watched = Watched(stream)
    for end in range(0, len(text), 40):
        stream.grow(text[:end])
        watched.look()
    assert stream.version < 60
    assert watched.received < 12 * len(text)


def test_a_fence_that_closes_is_finished_at_once() -> None:
    code = "```\n" + "x\n" * 2000
    stream = Stream()
    stream.grow(code)
    stream.grow(code + "```\n\nAnd ")
    assert "And" in stream.open
    assert "And" not in "".join(stream.finished)


def test_a_draft_that_is_changed_at_its_beginning_begins_anew() -> None:
    stream = Stream()
    watched = Watched(stream)
    stream.grow("# Tea\n\nGreen.\n\nBlack.")
    watched.look()
    stream.grow("# Coffee\n\nGreen.\n\nBlack.")
    watched.look()
    assert watched.done + watched.open == render("# Coffee\n\nGreen.\n\nBlack.")


def test_no_more_is_shown_live_than_a_message_shows_at_once() -> None:
    stream = Stream()
    stream.grow("word " * 10_000)
    growth = stream.since(None)
    assert growth is not None
    assert len(growth.open or "") < LIMIT * 1.1
