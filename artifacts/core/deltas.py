"""How versions are stored: as what leads from one to the next, with the whole of it now and then.

A version's data has one canonical text, its JSON with sorted keys. A delta is a list of splices of that text, each
`[at, cut, insert]`, in order. It knows nothing of kinds, so one rule stores and rebuilds them all, exactly. A version
is stored whole once the deltas since the last one that was outweigh it, or are `DELTAS_LIMIT`: so no version costs more
than that to rebuild, and a history at most twice its changes, plus one fiftieth of its versions.
"""

import json
import re
import zlib
from collections.abc import Iterable
from typing import Any

from artifacts.core.differing import COMPARISONS, placed, spans

DELTAS_LIMIT = 50
SMALL = 200
"""Characters of a change that is not worth looking into."""

PIECES = re.compile(r".*?(?:\\n|[,{}\[\]])|.+$", re.DOTALL)
"""Canonical text in pieces that edits leave whole: lines of a text, and the fields and items of data."""

type Delta = list[tuple[int, int, str]]


def canonical(data: Any) -> str:
    """The one text of some JSON: what a database gives back (keys in its order, 1.0 as 1) has the same."""
    return json.dumps(_steady(data), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> int:
    """A number that tells whether a canonical text is still the one that the next delta is to start from."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def delta(before: str, after: str) -> Delta:
    """What leads from one canonical text to another: one splice for a small change, else by pieces."""
    at, cut, insert = _narrowed(before, after, 0)
    if not cut and not insert:
        return []
    if max(cut, len(insert)) <= SMALL:
        return [(at, cut, insert)]
    one, old, new = before[at : at + cut], PIECES.findall(before[at : at + cut]), PIECES.findall(insert)
    return [
        _narrowed(one[a:b], insert[c:d], at + a)
        for a, b, c, d in placed(old, new, spans(old, new, COMPARISONS))
    ]


def patched(text: str, delta: Delta) -> str:
    """The canonical text that a delta leads to."""
    parts: list[str] = []
    at = 0
    for start, cut, insert in delta:
        parts += text[at:start], insert
        at = start + cut
    return "".join([*parts, text[at:]])


def rebuilt(text: str, deltas: Iterable[Delta]) -> dict[str, Any]:
    """The data that a canonical text and the deltas after it lead to."""
    for each in deltas:
        text = patched(text, each)
    data: dict[str, Any] = json.loads(text)
    return data


def is_whole_cheaper(deltas: int, weight: int, size: int) -> bool:
    """Whether to store a version whole, after so many `deltas` of that `weight`, if whole it has that `size`."""
    return deltas > DELTAS_LIMIT or weight > size


def weight(delta: Delta) -> int:
    """About how many characters a delta takes."""
    return sum(len(insert) + 20 for _, _, insert in delta)


def _steady(value: Any) -> Any:
    """JSON in which a number has one form: PostgreSQL gives back 1e16 as an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _steady(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_steady(item) for item in value]
    return value


def _narrowed(old: str, new: str, at: int) -> tuple[int, int, str]:
    """One splice, without what the two texts have in common at their ends."""
    start = _shared(old, new)
    old, new = old[start:], new[start:]
    end = _shared(old[::-1], new[::-1])
    return at + start, len(old) - end, new[: len(new) - end]


def _shared(one: str, other: str) -> int:
    """With how many equal characters two texts begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low
