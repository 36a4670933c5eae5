"""A text of megabytes is laid out in slices, and they are the text."""

import pytest

from threads.web.whole import SLICE, slices

LINE = "a line of words\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\nbegins with an empty line",
        LINE * 5_000,
        "x" * (3 * SLICE),
        "x" * (2 * SLICE) + "\n" + LINE * 2_000 + "no end",
        "\n" * (2 * SLICE + 1),
    ],
)
def test_slices_are_the_text_and_bounded(text: str) -> None:
    pieces = list(slices(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces)) <= SLICE


def test_slices_end_with_a_line_where_they_can() -> None:
    assert all(piece.endswith("\n") for piece in slices(LINE * 5_000))
