"""Merging: both sides' changes, neither's lost, and what both changed stands apart."""

import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.core.differing import COMPARISONS, lines, spans
from artifacts.core.kinds import Document, Plan
from artifacts.core.merging import Merge, merged, merged_data
from tests.shares import share

BASE = "one\ntwo\nthree\nfour\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "text"),
    [
        (BASE, BASE, BASE, BASE),
        (BASE, "1\ntwo\nthree\nfour\n", BASE, "1\ntwo\nthree\nfour\n"),
        (BASE, BASE, "one\ntwo\nthree\n4\n", "one\ntwo\nthree\n4\n"),
        (BASE, "1\ntwo\nthree\nfour\n", "one\ntwo\nthree\n4\n", "1\ntwo\nthree\n4\n"),
        (BASE, "1\ntwo\nthree\nfour\n", "one\n2\nthree\nfour\n", "1\n2\nthree\nfour\n"),
        (BASE, "zero\n" + BASE, BASE + "five\n", "zero\n" + BASE + "five\n"),
        (BASE, "two\nthree\nfour\n", "one\ntwo\nthree\n", "two\nthree\n"),
        (BASE, "same\n", "same\n", "same\n"),
        ("the green tea is hot", "the black tea is hot", "the green tea is cold", "the black tea is cold"),
        ("a b c", "a c", "a b c d", "a c d"),
        ("", "ours", "", "ours"),
        ("a\r\nb\r\n", "x\r\nb\r\n", "a\r\ny\r\n", "x\r\ny\r\n"),
    ],
)
def test_changes_in_different_places_are_both_there(base: str, ours: str, theirs: str, text: str) -> None:
    assert merged(base, ours, theirs) == Merge(text, [])


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "text", "conflict"),
    [
        ("green\n", "black\n", "white\n", "black\nwhite\n", ("green\n", "black\n", "white\n")),
        ("green", "black", "white", "black\nwhite", ("green", "black", "white")),
        ("a\nb\nc\n", "a\nX\nc\n", "a\nc\n", "a\nX\nc\n", ("b\n", "X\n", "")),
        ("", "ours", "theirs", "ours\ntheirs", ("", "ours", "theirs")),
        ("a\nz\n", "a\nb\nz\n", "a\nc\nz\n", "a\nb\nc\nz\n", ("", "b\n", "c\n")),
    ],
)
def test_changes_of_the_same_words_stand_apart(
    base: str, ours: str, theirs: str, text: str, conflict: tuple[str, str, str]
) -> None:
    found = merged(base, ours, theirs)
    assert found.text == text
    [one] = found.conflicts
    assert (one.base, one.ours, one.theirs) == conflict
    assert found.text[one.at :].startswith(one.both)


TEXTS = st.lists(
    st.sampled_from(["a", "b", "c", "the cat ", "sat", " ", "\n", "\n\n", ".", "é", "\r\n"]), max_size=25
).map("".join)


@st.composite
def edited(draw: st.DrawFn) -> tuple[str, str, str]:
    """A text, and two that are it with some passages replaced."""
    base = draw(TEXTS)
    sides = []
    for _ in range(2):
        side = base
        for _ in range(draw(st.integers(0, 3))):
            start = draw(st.integers(0, len(side)))
            end = min(len(side), start + draw(st.integers(0, 6)))
            side = side[:start] + draw(TEXTS) + side[end:]
        sides.append(side)
    return base, sides[0], sides[1]


@given(edited())
@pytest.mark.stress
@settings(max_examples=share(1_000, 200), deadline=None)
def test_neither_side_s_words_are_lost(texts: tuple[str, str, str]) -> None:
    base, ours, theirs = texts
    found = merged(base, ours, theirs)
    for side in (ours, theirs):
        written = Counter(side) - Counter(base)
        assert not written - Counter(found.text)
    at = 0
    for conflict in found.conflicts:
        assert conflict.at >= at
        at = conflict.at + len(conflict.both)
        assert found.text[conflict.at : at] == conflict.both
        assert conflict.ours in ours
        assert conflict.theirs in theirs
        assert conflict.base in base


@given(edited())
@pytest.mark.stress
@settings(max_examples=share(500, 100), deadline=None)
def test_a_side_that_changed_nothing_leaves_the_other_s_text_and_both_alike_are_one(
    texts: tuple[str, str, str],
) -> None:
    base, ours, theirs = texts
    assert merged(base, ours, base) == Merge(ours, [])
    assert merged(base, base, theirs) == Merge(theirs, [])
    assert merged(base, ours, ours) == Merge(ours, [])


@given(edited())
@pytest.mark.stress
@settings(max_examples=share(500, 100), deadline=None)
def test_whose_side_is_ours_does_not_matter_where_nothing_conflicts(texts: tuple[str, str, str]) -> None:
    base, ours, theirs = texts
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    assert bool(one.conflicts) == bool(other.conflicts)
    assert one.conflicts or one.text == other.text


@given(st.lists(st.text("ab\n ", max_size=8), min_size=3, max_size=9), st.data())
@pytest.mark.stress
@settings(max_examples=share(300, 60), deadline=None)
def test_whole_lines_far_apart_never_conflict(paragraphs: list[str], data: st.DataObject) -> None:
    steady = [f"paragraph {number}\n" for number in range(6)]
    base = "".join(steady)
    ours = "".join(["".join(paragraphs) + "\n", *steady])
    theirs = "".join([*steady, data.draw(TEXTS)])
    found = merged(base, ours, theirs)
    assert not found.conflicts
    assert found.text == ours + theirs[len(base) :]


def test_merging_costs_little_whatever_the_texts_are() -> None:
    base = "".join(f"a{number} " for number in range(40_000))
    ours = "".join(f"b{number} x " for number in range(40_000))
    theirs = "".join(f"c{number}\nx " for number in range(40_000))
    began = time.process_time()
    found = merged(base, ours, theirs)
    assert time.process_time() - began < 5
    assert found.conflicts


def test_spans_are_where_sequences_differ() -> None:
    old, new = lines("a\nb\nc\n"), lines("a\nX\nc\nd\n")
    assert spans(old, new, COMPARISONS) == [(1, 2, 1, 2), (3, 3, 3, 4)]


TASKS = [{"id": id, "name": id, "status": "todo", "note": ""} for id in "abc"]
A, B, C = TASKS
DONE = {**A, "status": "done"}
D = {**A, "id": "d", "name": "d"}
E = {**A, "id": "e", "name": "e"}


def plan(*tasks: dict[str, str], goal: str = "Paint") -> dict[str, Any]:
    return {"goal": goal, "tasks": list(tasks)}


@pytest.mark.parametrize(
    ("ours", "theirs", "result"),
    [
        (plan(DONE, B, C), plan(A, {**B, "name": "bee"}, C), plan(DONE, {**B, "name": "bee"}, C)),
        (plan(DONE, B, C), plan({**A, "note": "red"}, B, C), plan({**DONE, "note": "red"}, B, C)),
        (plan(A, B, C, D), plan(E, A, B, C), plan(E, A, B, C, D)),
        (plan(A, D, B, C), plan(A, E, B, C), plan(A, D, E, B, C)),
        (plan(B, C), plan(A, B), plan(B)),
        (plan(C, B, A), plan(A, B, C, D), plan(C, D, B, A)),
        (plan(A, B, C, goal="Build"), plan(B, A, C), plan(B, A, C, goal="Build")),
        (plan(A, B, C), plan(A, B, C), plan(A, B, C)),
    ],
)
def test_a_plan_is_merged_by_its_tasks(
    ours: dict[str, Any], theirs: dict[str, Any], result: dict[str, Any]
) -> None:
    found = merged_data(Plan, plan(A, B, C), ours, theirs)
    assert (found.data, found.conflicts) == (result, ())


@pytest.mark.parametrize(
    ("ours", "theirs", "conflicts"),
    [
        (plan({**A, "status": "done"}, B, C), plan({**A, "status": "doing"}, B, C), ("tasks.a.status",)),
        (plan(B, C), plan({**A, "status": "doing"}, B, C), ("tasks.a",)),
        (plan(C, B, A), plan(B, A, C), ("tasks",)),
        (plan(A, B, C, D), plan(A, B, C, {**D, "name": "other"}), ("tasks.d",)),
        (plan(goal="X"), plan(goal="Y"), ("goal",)),
    ],
)
def test_what_both_changed_in_a_plan_is_named(
    ours: dict[str, Any], theirs: dict[str, Any], conflicts: tuple[str, ...]
) -> None:
    found = merged_data(Plan, plan(A, B, C), ours, theirs)
    assert (found.data, found.conflicts) == (None, conflicts)


def test_a_document_s_title_and_text_are_merged_each_for_itself() -> None:
    base = {"title": "Tea", "text": "one\ntwo\n"}
    ours, theirs = {"title": "Green tea", "text": "1\ntwo\n"}, {"title": "Tea", "text": "one\n2\n"}
    assert merged_data(Document, base, ours, theirs).data == {"title": "Green tea", "text": "1\n2\n"}
    assert merged_data(Document, base, ours, {**theirs, "title": "Black tea"}).conflicts == ("title",)
    assert merged_data(Document, base, ours, {**theirs, "text": "eins\ntwo\n"}).conflicts == ("text",)


def test_one_is_not_true() -> None:
    found = merged_data(Document, {"a": 1, "b": 0}, {"a": True, "b": 0}, {"a": 1, "b": False})
    assert found.data == {"a": True, "b": False}
    assert [type(value) for value in (found.data or {}).values()] == [bool, bool]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "a\nb\n", "c"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
        | st.lists(st.fixed_dictionaries({"id": st.sampled_from("pqr"), "v": inner}), max_size=3)
    ),
    max_leaves=8,
)
DATA = st.dictionaries(st.sampled_from("xyz"), JSON, max_size=3)


@given(DATA, DATA, DATA)
@pytest.mark.stress
@settings(max_examples=share(500, 100), deadline=None)
def test_any_data_is_merged_or_named(
    base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    found = merged_data(Document, base, ours, theirs)
    assert (found.data is None) == bool(found.conflicts)
    assert bool(merged_data(Document, base, theirs, ours).conflicts) == bool(found.conflicts)
    assert merged_data(Document, base, ours, base).data == ours
    assert merged_data(Document, base, base, theirs).data == theirs
