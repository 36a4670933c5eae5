"""Prose that fits: a message on the socket, and a page that opens quickly."""

from dataclasses import dataclass

from artifacts.web.prose.rendering import render

LIMIT = 16_000
"""Characters of a text that are shown at once."""

WIDEST = 120_000
"""Characters of HTML that they may become."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """The beginning of a text as HTML; `left` characters of it are not in there."""

    html: str
    left: int = 0


def bounded(text: str, limit: int = LIMIT) -> Bounded:
    """As much of the text as a page shows at once."""
    shown = text if len(text) <= limit else _whole_lines(text[:limit])
    html = render(shown)
    while len(html) > WIDEST:
        shown = _whole_lines(shown[: len(shown) // 2])
        html = render(shown)
    return Bounded(html, len(text) - len(shown))


def _whole_lines(text: str) -> str:
    """The text up to its last line break, if that keeps at least half of it."""
    end = text.rfind("\n") + 1
    return text[:end] if end > len(text) // 2 else text
