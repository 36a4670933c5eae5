"""Changes to an artifact's data, and what differs between two texts in words that fit into a sentence."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from artifacts.core.kinds.base import Kind, validated
from artifacts.core.rejections import Invalid, PatchFailed

COMPARED_LINES = 400
COMPARED_WORDS = 2_000
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
            return validated(kind, {**data, field: replaced_once(data[field], old, new)})


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
    """How often `passage` begins in `text`, overlapping beginnings included."""
    count, start = 0, text.find(passage)
    while start != -1:
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

    Large regions are one change each: the cost is bounded by `COMPARED_LINES` and `COMPARED_WORDS`.
    """
    if before == after:
        return []
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[Change] = []
    for old_part, new_part in _differing(old, new, COMPARED_LINES):
        words = WORDS.findall("".join(old_part)), WORDS.findall("".join(new_part))
        found += [Change("".join(a), "".join(b)) for a, b in _differing(*words, COMPARED_WORDS)]
    return found


def _differing(old: list[str], new: list[str], bound: int) -> Iterator[tuple[list[str], list[str]]]:
    """The runs in which two sequences differ; one run where there is more than `bound` to compare."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) > bound or not (old and new):
        yield old, new
        return
    yield from _joined(old, new)


def _joined(old: list[str], new: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Differing runs, those with nothing but white space between them joined, so that a phrase stays whole."""
    open_run: tuple[list[str], list[str]] | None = None
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            if open_run and not "".join(old[a:b]).strip() and b < len(old):
                open_run = open_run[0] + old[a:b], open_run[1] + new[c:d]
            elif open_run:
                yield open_run
                open_run = None
        else:
            before = open_run or ([], [])
            open_run = before[0] + old[a:b], before[1] + new[c:d]
    if open_run:
        yield open_run
