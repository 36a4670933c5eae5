"""Two changes of one text, or of one kind's data, brought together: a three-way merge that loses neither side's words.

First by lines. Where both sides changed the same lines, by words within them. Where they changed the same words too,
the lines stand apart as a conflict, and the merged text holds both: ours, then theirs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from artifacts.core.deltas import canonical
from artifacts.core.differing import COMPARISONS, Span, lines, spans, words
from artifacts.core.kinds.base import Kind


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that both sides changed. In the merged text `both`, ours and then theirs, stands `at` this character."""

    base: str
    ours: str
    theirs: str
    at: int

    @property
    def both(self) -> str:
        """What stands in the merged text."""
        return _both(self.ours, self.theirs)


@dataclass(frozen=True, slots=True)
class Merge:
    """A text with both sides' changes in it."""

    text: str
    conflicts: list[Conflict]


def merged(base: str, ours: str, theirs: str) -> Merge:
    """What `base` becomes with the changes of both sides."""
    parts: list[str] = []
    conflicts: list[Conflict] = []
    at = 0
    triples = list(_woven(lines(base), lines(ours), lines(theirs), COMPARISONS))
    unsettled = sum(_settled(*triple) is None for triple in triples)
    for before, one, other in triples:
        text = _settled(before, one, other)
        if text is None:
            text = _by_words(before, one, other, COMPARISONS // unsettled)
        if text is None:
            conflicts.append(Conflict(before, one, other, at))
            text = _both(one, other)
        parts.append(text)
        at += len(text)
    return Merge("".join(parts), conflicts)


def _by_words(base: str, ours: str, theirs: str, bound: int) -> str | None:
    """Lines merged by their words; None where both sides changed the same ones."""
    parts = [_settled(*triple) for triple in _woven(words(base), words(ours), words(theirs), bound)]
    texts = [part for part in parts if part is not None]
    return "".join(texts) if len(texts) == len(parts) else None


def _settled[T](base: T, ours: T, theirs: T) -> T | None:
    """What a value becomes that at most one side changed, or both in the same way."""
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _both(ours: str, theirs: str) -> str:
    apart = "\n" if ours and theirs and not ours.endswith("\n") else ""
    return f"{ours}{apart}{theirs}"


def _woven(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str], bound: int
) -> Iterator[tuple[str, str, str]]:
    """Three sequences cut at the places that correspond: in turn what nobody changed, and what somebody did."""
    at, one_at, other_at = 0, 0, 0
    for start, end, one_grew, other_grew in _changed(spans(base, ours, bound), spans(base, theirs, bound)):
        same = "".join(base[at:start])
        yield same, same, same
        one_start, other_start = one_at + start - at, other_at + start - at
        at, one_at, other_at = end, one_start + end - start + one_grew, other_start + end - start + other_grew
        yield (
            "".join(base[start:end]),
            "".join(ours[one_start:one_at]),
            "".join(theirs[other_start:other_at]),
        )
    same = "".join(base[at:])
    yield same, same, same


def _changed(ours: list[Span], theirs: list[Span]) -> Iterator[tuple[int, int, int, int]]:
    """The stretches of the base that somebody changed, and by how much each side's grew; those that touch are one."""
    both = sorted(
        [(a, b, d - c - (b - a), 0) for a, b, c, d in ours]
        + [(a, b, 0, d - c - (b - a)) for a, b, c, d in theirs]
    )
    open_: tuple[int, int, int, int] | None = None
    for start, end, one, other in both:
        if open_ is None or start > open_[1]:
            if open_ is not None:
                yield open_
            open_ = start, end, one, other
        else:
            open_ = open_[0], max(open_[1], end), open_[2] + one, open_[3] + other
    if open_ is not None:
        yield open_


class _Missing:
    """No value: a field that one side does not have."""


MISSING = _Missing()


@dataclass(frozen=True, slots=True)
class MergedData:
    """An artifact's data with both sides' changes in it, or None and the names of the fields that both changed."""

    data: dict[str, Any] | None
    conflicts: tuple[str, ...] = ()


def merged_data(
    kind: type[Kind], base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
) -> MergedData:
    """What `base` becomes with the changes of both sides: texts by lines and words, lists by the ids of their items."""
    merger = _Merger(kind.text_field)
    data = merger.merge("", base, ours, theirs)
    return MergedData(None, tuple(merger.conflicts)) if merger.conflicts else MergedData(data)


@dataclass(slots=True)
class _Merger:
    """Walks through three values at once; `conflicts` are the paths at which both sides changed the same."""

    text_field: str | None
    conflicts: list[str] = field(default_factory=list)

    def merge(self, path: str, base: Any, ours: Any, theirs: Any) -> Any:
        if _same(ours, theirs) or _same(theirs, base):
            return ours
        if _same(ours, base):
            return theirs
        values = base, ours, theirs
        if all(isinstance(value, dict) for value in values):
            return self._fields(path, *values)
        if all(_is_keyed(value) for value in values):
            return self._items(path, *values)
        if all(isinstance(value, str) for value in values) and self._is_text(path, base):
            return self._text(path, *values)
        self.conflicts.append(path or "data")
        return ours

    def _is_text(self, path: str, base: str) -> bool:
        return path == self.text_field or "\n" in base

    def _text(self, path: str, base: str, ours: str, theirs: str) -> str:
        found = merged(base, ours, theirs)
        if found.conflicts:
            self.conflicts.append(path)
        return found.text

    def _fields(
        self, path: str, base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
    ) -> dict[str, Any]:
        found = {
            name: self.merge(
                f"{path}.{name}".removeprefix("."),
                *(side.get(name, MISSING) for side in (base, ours, theirs)),
            )
            for name in sorted({**ours, **theirs})
        }
        return {name: value for name, value in found.items() if value is not MISSING}

    def _items(self, path: str, base: list[Any], ours: list[Any], theirs: list[Any]) -> list[Any]:
        keyed = [{item["id"]: item for item in side} for side in (base, ours, theirs)]
        found = self._fields(path, *keyed)
        orders = [[id for id in side if all(id in other for other in keyed)] for side in keyed]
        if _settled(*orders) is None:
            self.conflicts.append(path)
        first, second = (keyed[2], keyed[1]) if orders[1] == orders[0] else (keyed[1], keyed[2])
        return [found[id] for id in _inserted([*first], [*second]) if id in found]


def _inserted(order: list[str], other: list[str]) -> list[str]:
    """`order` with what only `other` has, each after the one that it follows there."""
    result = list(order)
    for place, id in enumerate(other):
        if id not in order:
            result.insert(result.index(other[place - 1]) + 1 if place else 0, id)
    return result


def _is_keyed(value: Any) -> bool:
    """Whether a list is of things that are known by an `id` each."""
    if not isinstance(value, list) or not all(
        isinstance(item, dict) and isinstance(item.get("id"), str) for item in value
    ):
        return False
    return len({item["id"] for item in value}) == len(value)


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON, in which 1 is not true. What is missing equals only itself."""
    if one is MISSING or other is MISSING:
        return one is other
    return one is other or canonical(one) == canonical(other)
