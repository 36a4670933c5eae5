"""Deltas: from any data to any other, exactly, small where little changed, and cheap for large ones."""

import json
import time
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from artifacts.core.deltas import (
    DELTAS_LIMIT,
    canonical,
    delta,
    digest,
    is_whole_cheaper,
    patched,
    rebuilt,
    weight,
)
from tests.shares import share

MEBIBYTE = 2**20
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
    | st.sampled_from(["a, b\\n[c]", "line\nline\nline\n", '"{}"', "\\", "é\U0001f680"])
)
DATA = st.dictionaries(
    st.text("abc\n,", max_size=3),
    st.recursive(
        LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner)
    ),
    max_size=5,
)


@given(DATA, DATA)
@pytest.mark.stress
@settings(max_examples=share(500, 100), deadline=None)
def test_a_delta_leads_from_any_data_to_any_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    one, other = canonical(before), canonical(after)
    found = delta(one, other)
    assert patched(one, found) == other
    assert (found == []) == (one == other)
    assert rebuilt(one, [json.loads(json.dumps(found))]) == after


@given(st.lists(DATA, min_size=2, max_size=6))
@pytest.mark.stress
@settings(max_examples=share(200, 60), deadline=None)
def test_a_history_is_rebuilt_exactly(versions: list[dict[str, Any]]) -> None:
    texts = [canonical(version) for version in versions]
    deltas = [delta(one, other) for one, other in pairwise(texts)]
    for number, version in enumerate(versions):
        assert rebuilt(texts[0], deltas[:number]) == version


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}),
        ({"a": 1.0}, {"a": 1}),
        ({"a": 1e16}, {"a": 10**16}),
        ({"a": [-0.0, {"b": (2.0,)}]}, {"a": [0, {"b": [2]}]}),
    ],
)
def test_what_a_database_gives_back_in_another_form_is_the_same(one: Any, other: Any) -> None:
    assert canonical(one) == canonical(other)
    assert digest(canonical(one)) == digest(canonical(other))


def test_two_small_changes_far_apart_are_a_small_delta() -> None:
    text = "\n".join(f"line {number} of a long document, with a comma" for number in range(20_000))
    changed = text.replace("line 7 ", "line seven ").replace("line 19990 ", "row 19990 ")
    one, other = canonical({"text": text}), canonical({"text": changed})
    began = time.process_time()
    found = delta(one, other)
    assert time.process_time() - began < 1
    assert len(found) == 2
    assert weight(found) < 100


@pytest.mark.parametrize("between", ["", "\n", ",", "[", "\\", '"'])
def test_a_delta_costs_little_whatever_the_texts_are(between: str) -> None:
    one = canonical({"text": f"a{between}" * (MEBIBYTE // 4)})
    other = canonical({"text": f"b{between}" * (MEBIBYTE // 4)})
    began = time.process_time()
    assert patched(one, delta(one, other)) == other
    assert time.process_time() - began < 5


def test_a_version_is_stored_whole_when_its_deltas_outweigh_it_or_are_many() -> None:
    assert not is_whole_cheaper(DELTAS_LIMIT, 100, 100)
    assert is_whole_cheaper(1, 101, 100)
    assert is_whole_cheaper(DELTAS_LIMIT + 1, 0, 100)
