"""Changes to an artifact's data, and what differs between two texts in words that fit into a sentence."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from artifacts.core.kinds.base import Kind, validated
from artifacts.core.rejections import Invalid, PatchFailed

COMPARISONS = 10_000_000
"""How many pairs of lines, and again of words, `changes` compares at worst: some tenths of a second."""
OCCURRENCES_LIMIT = 100
WORDS = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class WholeText:
    """Replace the whole text of a kind that has one."""

    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Replace the passage `old`, which must occur exactly once in the current text, by `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class WholeData:
    """Replace all of the artifact's data."""

    data: dict[str, Any]


Patch = WholeText | Passage | WholeData


def applied(patch: Patch, kind: type[Kind], data: dict[str, Any]) -> Kind:
    """What `data` becomes. Raises `Invalid`, `TooLarge` or `PatchFailed`."""
    match patch:
        case WholeData(new):
            return validated(kind, new)
        case WholeText(text):
            return validated(kind, {**data, _text_field(kind): text})
        case Passage(old, new):
            field = _text_field(kind)
            return validated(kind, {**data, field: replaced_once(str(data.get(field, "")), old, new)})


def applies_to_any_version(patch: Patch) -> bool:
    """Whether a stale base is no conflict: an exact passage says itself whether it still fits."""
    return isinstance(patch, Passage)


def replaced_once(text: str, old: str, new: str) -> str:
    """`text` with its only occurrence of `old` replaced. Raises `PatchFailed` with how often it occurs."""
    if not old:
        raise Invalid({"old": "Is empty. Quote the passage to replace."})
    if (found := occurrences(text, old)) != 1:
        raise PatchFailed(found)
    return text.replace(old, new, 1)


def occurrences(text: str, passage: str) -> int:
    """How often `passage` begins in `text`, overlapping beginnings included, up to `OCCURRENCES_LIMIT`."""
    count, start = 0, text.find(passage)
    while start != -1 and count < OCCURRENCES_LIMIT:
        count, start = count + 1, text.find(passage, start + 1)
    return count


def _text_field(kind: type[Kind]) -> str:
    if kind.text_field is None:
        raise Invalid({"patch": f"A {kind.name} has no single text. Change its data instead."})
    return kind.text_field


@dataclass(frozen=True, slots=True)
class Change:
    """One place where two texts differ: `old` became `new`; either may be empty."""

    old: str
    new: str

    def as_data(self) -> dict[str, str]:
        """The change as JSON."""
        return asdict(self)


def changes(before: str, after: str) -> list[Change]:
    """The places in which `after` differs from `before`, in their order, by words where that is cheap.

    What is dear to compare is one change as a whole: `COMPARISONS` bounds the cost, whatever the texts are.
    """
    if before == after:
        return []
    regions = list(_differing(_lines(before), _lines(after), COMPARISONS))
    return [
        Change(old, new)
        for one, other in regions
        for old, new in _differing(WORDS.findall(one), WORDS.findall(other), COMPARISONS // len(regions))
    ]


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _differing(old: list[str], new: list[str], bound: int) -> Iterator[tuple[str, str]]:
    """The runs in which two sequences differ; one run where comparing them could take more than `bound` steps."""
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if old and new and _cost(old, new) <= bound:
        yield from _joined(old, new)
    else:
        yield "".join(old), "".join(new)


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """With how many equal items two sequences begin."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(old), len(new)))


def _cost(old: list[str], new: list[str]) -> int:
    """The most that `SequenceMatcher` can take: for each block that it finds, every pair of equal items."""
    counts = Counter(item for item in new if not item.isspace())
    pairs = sum(counts[item] for item in old)
    return (pairs + len(old)) * min(len(old), len(new))


def _joined(old: list[str], new: list[str]) -> Iterator[tuple[str, str]]:
    """Differing runs, those with nothing but white space between them joined, so that a phrase stays whole.

    White space is "junk": it goes along with what is equal beside it, and is no reason to call two places equal.
    """
    start = end = (0, 0)
    for tag, a, b, _, d in SequenceMatcher(str.isspace, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            end = b, d
        elif start == end or "".join(old[a:b]).strip():
            if start != end:
                yield "".join(old[start[0] : end[0]]), "".join(new[start[1] : end[1]])
            start = end = b, d
    if start != end:
        yield "".join(old[start[0] : end[0]]), "".join(new[start[1] : end[1]])
