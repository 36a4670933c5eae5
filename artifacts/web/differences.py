"""What differs between two versions, for people: field by field in words, or in a kind's own sentences."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

from artifacts.core.diffs import Hunk, word_diff
from artifacts.core.kinds import Kind, kinds
from artifacts.web.kindforms import fields_of, label_of

AROUND = 160
"""Characters that are shown of what stayed the same, before and after each change."""
LONGEST = 20_000
"""Characters of one change that are shown."""
MOST = 400
"""Stretches of one field that are shown."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of a field: `same`, `removed` or `added`, or a `gap` whose text says what is left out."""

    kind: Literal["same", "removed", "added", "gap"]
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that differs, or what a kind says itself, in `sentences`."""

    label: str
    stretches: list[Stretch] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


def differences(kind_name: str, before: dict[str, Any], after: dict[str, Any]) -> list[Difference]:
    """Everything in which `after` differs from `before`, also for a kind that there no longer is."""
    if before == after:
        return []
    kind = kinds().get(kind_name)
    if kind and (words := _own_words(kind, before, after)):
        return [Difference("", sentences=words)]
    infos = fields_of(kind) if kind else {}
    return [
        Difference(
            label_of(key, infos.get(key)), list(_stretches(_text(before.get(key)), _text(after.get(key))))
        )
        for key in {**before, **after}
        if before.get(key) != after.get(key)
    ]


def _own_words(kind: type[Kind], before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """None also where what was stored is no longer valid: the kind has changed since."""
    try:
        said = kind.model_validate(after).describe_change(kind.model_validate(before))
    except ValidationError:
        return []
    return said.split("; ") if said else []


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _stretches(before: str, after: str) -> Iterator[Stretch]:
    hunks = word_diff(before, after)
    for place, hunk in enumerate(hunks[:MOST]):
        if hunk.kind == "same":
            yield from _shortened(hunk, first=place == 0, last=place == len(hunks) - 1)
        else:
            yield Stretch(hunk.kind, hunk.text[:LONGEST])
            if len(hunk.text) > LONGEST:
                yield Stretch("gap", f"{len(hunk.text) - LONGEST:,} more characters")
    if len(hunks) > MOST:
        yield Stretch("gap", "many more changes")


def _shortened(hunk: Hunk, *, first: bool, last: bool) -> Iterator[Stretch]:
    """What stayed the same, without its middle; cut between words."""
    head = "" if first else hunk.text[:AROUND].rpartition(" ")[0]
    tail = "" if last else hunk.text[-AROUND:].partition(" ")[2]
    left = len(hunk.text) - len(head) - len(tail)
    if left <= AROUND:
        yield Stretch("same", hunk.text)
        return
    if head:
        yield Stretch("same", head)
    yield Stretch("gap", f"{left:,} characters unchanged")
    if tail:
        yield Stretch("same", tail)
