"""Patches, and the changes between two texts: right for every pair of texts, and cheap for every pair of texts."""

import time
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.core.diffs import Change, changes, word_diff
from artifacts.core.kinds import Document, Plan
from artifacts.core.limits import USUAL, Limits
from artifacts.core.patches import (
    OCCURRENCES_LIMIT,
    JsonPatch,
    Passage,
    Patch,
    WholeData,
    WholeText,
    applied,
    applies_to_any_version,
)
from artifacts.core.rejections import Invalid, PatchFailed, Rejection, TooLarge
from tests.shares import share

DOCUMENT = {"title": "Notes", "text": "one two one"}
MEBIBYTE = 2**20

WORDS = st.sampled_from(
    ["the ", "cat", " ", "\n", "a", "b", "é", "e\u0301", "👩\u200d🚀", "\r\n", ".", "\u2028", "x y\n"]
)
TEXTS = st.lists(WORDS, max_size=40).map("".join) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (WholeText("new"), "new"),
        (WholeText(""), ""),
        (WholeData({"title": "Notes", "text": "new"}), "new"),
        (Passage("two", "2"), "one 2 one"),
        (Passage("one two", ""), " one"),
        (Passage("one two one", "x"), "x"),
        (Passage("two", "two"), "one two one"),
        (Passage("two", "\\1 \\g<0>"), "one \\1 \\g<0> one"),
    ],
)
def test_a_patch_makes_the_new_text_and_keeps_the_rest(patch: Patch, text: str) -> None:
    before = dict(DOCUMENT)
    assert applied(patch, Document, before).model_dump() == {"title": "Notes", "text": text}
    assert before == DOCUMENT


@pytest.mark.parametrize(
    ("text", "old", "found"),
    [
        ("one two", "three", 0),
        ("one two", "One", 0),
        ("é", "e\u0301", 0),
        ("", "a", 0),
        ("one two one", "one", 2),
        ("aaa", "aa", 2),
        ("abababa", "aba", 3),
        ("\n\n\n", "\n\n", 2),
    ],
)
def test_a_passage_that_is_not_there_exactly_once_is_refused(text: str, old: str, found: int) -> None:
    with pytest.raises(PatchFailed) as refused:
        applied(Passage(old, "x"), Document, {"title": "A", "text": text})
    assert refused.value.details == {"occurrences": found}


def test_an_empty_passage_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        applied(Passage("", "x"), Document, DOCUMENT)
    assert list(refused.value.details["fields"]) == ["old"]


def test_a_text_patch_of_a_kind_without_one_text_is_refused() -> None:
    for patch in (WholeText("x"), Passage("a", "b")):
        with pytest.raises(Invalid) as refused:
            applied(patch, Plan, {"goal": "A"})
        assert list(refused.value.details["fields"]) == ["patch"]


@pytest.mark.parametrize(
    "patch", [WholeText("a\x00"), Passage("two", "\ud800"), WholeData({"title": "\x00"})]
)
def test_a_patch_cannot_bring_in_forbidden_text(patch: Patch) -> None:
    with pytest.raises(Invalid):
        applied(patch, Document, DOCUMENT)


def test_a_patch_cannot_grow_a_document_beyond_its_limit() -> None:
    with pytest.raises(TooLarge):
        applied(Passage("two", "x" * MEBIBYTE), Document, DOCUMENT)


@pytest.mark.parametrize(
    "stored", [{}, {"title": "A"}, {"text": "two"}, {"title": "A", "text": 5}, {"title": "A", "old": 1}]
)
@pytest.mark.parametrize("patch", [WholeText("x"), Passage("two", "x"), Passage("5", "x")])
def test_what_is_stored_and_no_longer_valid_is_refused_or_repaired(
    stored: dict[str, Any], patch: Patch
) -> None:
    with suppress(Rejection):
        assert applied(patch, Document, stored).render_for_agent() == "x"


def test_only_an_exact_passage_applies_to_any_version() -> None:
    assert [applies_to_any_version(patch) for patch in (Passage("a", "b"), WholeText(""), WholeData({}))] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("", "", []),
        ("same", "same", []),
        ("", "all new", [("", "all new")]),
        ("all old", "", [("all old", "")]),
        ("the red house", "the blue house", [("red", "blue")]),
        ("the red old house", "the blue new house", [("red old", "blue new")]),
        ("one\ntwo\nthree\n", "one\n2\nthree\nfour\n", [("two", "2"), ("", "four\n")]),
        ("a b c d e f", "a X c d Y f", [("b", "X"), ("e", "Y")]),
        ("it is so", "it is not so", [("", "not ")]),
        ("naïve", "naive", [("naïve", "naive")]),
        ("a  b", "a b", [("  ", " ")]),
        ("a\r\nb", "a\nb", [("\r\n", "\n")]),
    ],
)
def test_changes_are_the_words_that_differ(before: str, after: str, found: list[tuple[str, str]]) -> None:
    assert changes(before, after) == [Change(old, new) for old, new in found]


@given(TEXTS, TEXTS)
@pytest.mark.stress
@settings(max_examples=share(500, 100), deadline=None)
def test_walking_through_the_changes_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    found = changes(before, after)
    assert all(change.old != change.new for change in found)
    assert walks(before, after, found)


def walks(before: str, after: str, found: list[Change]) -> bool:
    """Whether the changes, in their order, each somewhere after the one before, with the rest equal, make `after`.

    Where a change stands is not said, so every place is tried: a set of positions reached in both texts.
    """
    places = {(0, 0)}
    for change in found:
        places = {
            (old + len(change.old), new + len(change.new))
            for old, new in equally_further(before, after, places)
            if before.startswith(change.old, old) and after.startswith(change.new, new)
        }
    return (len(before), len(after)) in equally_further(before, after, places)


def equally_further(before: str, after: str, places: set[tuple[int, int]]) -> set[tuple[int, int]]:
    reached = set()
    for old, new in places:
        reached.add((old, new))
        while old < len(before) and new < len(after) and before[old] == after[new]:
            old, new = old + 1, new + 1
            reached.add((old, new))
    return reached


def numbered(letter: str, count: int, between: str) -> str:
    return between.join(f"{letter}{number}" for number in range(count))


HARD = {
    "words that all differ": (numbered("a", 5_000, " "), numbered("b", 5_000, " ")),
    "a few hundred words that all differ": (numbered("a", 700, " "), numbered("b", 700, " ")),
    "one word between others": (numbered("a", 700, " x "), numbered("b", 700, " x ")),
    "words and lines between": (numbered("a", 390, "\nx\n"), numbered("b", 390, "\nx\n")),
    "many lines of many words": (
        numbered(numbered("a", 40, " x "), 190, "\nz\n"),
        numbered(numbered("b", 40, " x "), 190, "\nz\n"),
    ),
    "a mebibyte of one letter a line": ("a\n" * (MEBIBYTE // 2), "b\n" * (MEBIBYTE // 2)),
    "a mebibyte of punctuation": ("!" * MEBIBYTE, "?" * MEBIBYTE),
    "a mebibyte of nothing": ("\n" * MEBIBYTE, " " * MEBIBYTE),
    "a mebibyte, both ends changed": ("a" + " x" * (MEBIBYTE // 2) + "a", "b" + " x" * (MEBIBYTE // 2) + "b"),
    "a mebibyte in other lines": (numbered("a\n", MEBIBYTE // 8, "x"), numbered("b\n", MEBIBYTE // 8, "x")),
}


@pytest.mark.parametrize("name", HARD)
def test_changes_cost_little_whatever_the_texts_are(name: str) -> None:
    began = time.process_time()
    found = changes(*HARD[name])
    assert time.process_time() - began < 5
    assert found


def test_two_small_changes_far_apart_in_a_long_document_are_two_changes() -> None:
    lines = [f"line {number} of a long document" for number in range(1_000)]
    after = [*lines]
    after[1], after[-2] = "line one", "line last"
    found = changes("\n".join(lines), "\n".join(after))
    assert [change.new for change in found] == ["one", "last"]


def test_a_passage_that_occurs_everywhere_is_counted_quickly() -> None:
    began = time.process_time()
    with pytest.raises(PatchFailed) as refused:
        applied(Passage("a" * (MEBIBYTE // 4), "b"), Document, {"title": "A", "text": "a" * (MEBIBYTE // 2)})
    assert time.process_time() - began < 2
    assert refused.value.details == {"occurrences": OCCURRENCES_LIMIT}


@given(TEXTS, TEXTS)
@pytest.mark.stress
@settings(max_examples=share(500, 100), deadline=None)
def test_a_diff_in_words_holds_both_texts(before: str, after: str) -> None:
    hunks = word_diff(before, after)
    assert "".join(hunk.text for hunk in hunks if hunk.kind != "added") == before
    assert "".join(hunk.text for hunk in hunks if hunk.kind != "removed") == after
    assert all(hunk.text for hunk in hunks)
    assert (before == after) == all(hunk.kind == "same" for hunk in hunks)


def test_a_diff_is_by_words_and_not_only_by_lines() -> None:
    assert [(hunk.kind, hunk.text) for hunk in word_diff("the red house\nx", "the blue house\nx")] == [
        ("same", "the "),
        ("removed", "red"),
        ("added", "blue"),
        ("same", " house\nx"),
    ]


PLAN: dict[str, Any] = {"goal": "Paint", "tasks": [{"id": "a", "name": "Buy", "status": "todo", "note": ""}]}


def operated(*operations: dict[str, Any], limits: Limits = USUAL) -> dict[str, Any]:
    before = deepcopy(PLAN)
    result = applied(JsonPatch(list(operations)), Plan, before, limits).model_dump(mode="json")
    assert before == PLAN
    return result


def test_a_json_patch_changes_fields_and_items() -> None:
    changed = operated(
        {"op": "test", "path": "/goal", "value": "Paint"},
        {"op": "replace", "path": "/goal", "value": "Build"},
        {"op": "add", "path": "/tasks/-", "value": {"id": "b", "name": "Mix"}},
        {"op": "copy", "from": "/tasks/0/name", "path": "/tasks/1/note"},
        {"op": "move", "from": "/tasks/1", "path": "/tasks/0"},
        {"op": "remove", "path": "/tasks/1"},
    )
    assert changed == {
        "goal": "Build",
        "tasks": [{"id": "b", "name": "Mix", "status": "todo", "note": "Buy"}],
    }


@pytest.mark.parametrize(
    ("operation", "field"),
    [
        ({"path": "/goal"}, "operations.0.op"),
        ({"op": "increase", "path": "/goal"}, "operations.0.op"),
        ({"op": ["add"], "path": "/goal", "value": 1}, "operations.0.op"),
        ({"op": "add", "value": 1}, "operations.0.path"),
        ({"op": "add", "path": "goal", "value": 1}, "operations.0.path"),
        ({"op": "add", "path": 5, "value": 1}, "operations.0.path"),
        ({"op": "add", "path": "/goal"}, "operations.0.value"),
        ({"op": "move", "path": "/goal"}, "operations.0.from"),
        ({"op": "copy", "path": "/goal", "from": "goal"}, "operations.0.from"),
        ({"op": "add", "path": "/goal", "value": "\x00"}, "0.value"),
        ({"op": "replace", "path": "/goal", "value": ""}, "goal"),
        ({"op": "replace", "path": "/tasks/0/status", "value": "later"}, "tasks.0.status"),
        ({"op": "add", "path": "/owner", "value": "Bob"}, "owner"),
        ({"op": "replace", "path": "", "value": []}, "data"),
    ],
)
def test_an_operation_that_is_none_or_makes_no_plan_is_refused_by_name(
    operation: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        operated(operation)
    assert list(refused.value.details["fields"]) == [field]


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "replace", "path": "/nothing", "value": 1},
        {"op": "remove", "path": "/tasks/1"},
        {"op": "remove", "path": "/tasks/-"},
        {"op": "add", "path": "/tasks/9", "value": {}},
        {"op": "add", "path": "/tasks/x", "value": {}},
        {"op": "add", "path": "/goal/deep", "value": 1},
        {"op": "add", "path": "/a~2b", "value": 1},
        {"op": "test", "path": "/goal", "value": "Build"},
        {"op": "move", "from": "/tasks", "path": "/tasks/0"},
        {"op": "copy", "from": "/nothing", "path": "/goal"},
        {"op": "remove", "path": ""},
    ],
)
def test_an_operation_that_does_not_fit_what_is_there_says_which_one_it_is(operation: dict[str, Any]) -> None:
    fine = {"op": "test", "path": "/goal", "value": "Paint"}
    with pytest.raises((PatchFailed, Invalid)) as refused:
        operated(fine, operation)
    if isinstance(refused.value, PatchFailed):
        assert refused.value.details == {"occurrences": 0, "operation": 1, "path": operation["path"]}


def test_a_patch_has_so_many_operations_and_no_more() -> None:
    fine = {"op": "test", "path": "/goal", "value": "Paint"}
    assert operated(*[fine] * 3, limits=Limits(patch_operations=3)) == PLAN
    with pytest.raises(TooLarge):
        operated(*[fine] * 4, limits=Limits(patch_operations=3))


def test_a_copy_of_a_copy_of_a_copy_fills_no_memory() -> None:
    doubling = [{"op": "copy", "from": "/tasks", "path": "/tasks/-"}] * USUAL.patch_operations
    began = time.process_time()
    with pytest.raises(TooLarge):
        operated(*doubling)
    assert time.process_time() - began < 5


POINTERS = st.sampled_from(
    ["", "/goal", "/tasks", "/tasks/0", "/tasks/-", "/tasks/0/name", "/tasks/1/x", "/x", "x", "/a~"]
)
VALUES = st.sampled_from([None, "", "Build", 1, [], {}, PLAN["tasks"][0], [PLAN["tasks"][0]], PLAN])
OPERATIONS = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "no"]), "path": POINTERS},
    optional={"from": POINTERS, "value": VALUES},
)


@given(st.lists(OPERATIONS, max_size=6))
@pytest.mark.stress
@settings(max_examples=share(1_000, 200), deadline=None)
def test_any_json_patch_makes_a_valid_plan_or_is_refused_and_changes_nothing(
    operations: list[dict[str, Any]],
) -> None:
    with suppress(Rejection):
        Plan.model_validate(operated(*operations))
    assert PLAN["goal"] == "Paint"
