"""What differs between two texts: as passages that fit into a sentence, and as a text with its differences marked."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from artifacts.core.differing import differences


@dataclass(frozen=True, slots=True)
class Change:
    """One place where two texts differ: `old` became `new`; either may be empty."""

    old: str
    new: str

    def as_data(self) -> dict[str, str]:
        """The change as JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Hunk:
    """A stretch of a diff: what stayed the `same`, was `removed`, or was `added`."""

    kind: Literal["same", "removed", "added"]
    text: str


def changes(before: str, after: str) -> list[Change]:
    """The places in which `after` differs from `before`, in their order, by words where that is cheap."""
    return [Change(before[a:b], after[c:d]) for a, b, c, d in differences(before, after)]


def word_diff(before: str, after: str) -> list[Hunk]:
    """Both texts as one: what is `same` or `removed` makes `before`, what is `same` or `added` makes `after`."""
    return [hunk for hunk in _hunks(before, after) if hunk.text]


def _hunks(before: str, after: str) -> Iterator[Hunk]:
    at = 0
    for a, b, c, d in differences(before, after):
        yield Hunk("same", before[at:a])
        yield Hunk("removed", before[a:b])
        yield Hunk("added", after[c:d])
        at = b
    yield Hunk("same", before[at:])
