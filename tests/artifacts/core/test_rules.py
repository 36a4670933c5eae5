"""Who may do what; what a refusal says; and the plain data of events, actors and text."""

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from artifacts.core import rejections, rules
from artifacts.core.actors import SYSTEM, agent_actor, user_actor
from artifacts.core.envelope import Envelope
from artifacts.core.rejections import Forbidden, Invalid, NotFound, Rejection, TooLarge
from artifacts.core.text import checked, cleaned, cleaned_json

ALLOWED = None


@pytest.mark.parametrize(
    ("rule", "outcomes"),
    [
        (rules.require_member, {None: NotFound, "viewer": ALLOWED, "editor": ALLOWED, "owner": ALLOWED}),
        (rules.require_editor, {None: NotFound, "viewer": Forbidden, "editor": ALLOWED, "owner": ALLOWED}),
        (rules.require_owner, {None: NotFound, "viewer": Forbidden, "editor": Forbidden, "owner": ALLOWED}),
    ],
)
def test_each_role_may_what_it_says(
    rule: Callable[[str | None], object], outcomes: dict[str | None, type[Rejection] | None]
) -> None:
    assert set(outcomes) == {None, *rules.ROLES}
    for role, refusal in outcomes.items():
        if refusal is ALLOWED:
            rule(role)
        else:
            with pytest.raises(refusal):
                rule(role)


REFUSALS: list[Rejection] = [
    NotFound(),
    NotFound("This workspace"),
    Forbidden("Only an owner may do this. Ask one of them."),
    Invalid({"title": "Is empty. Write something.", "text": "Is too odd."}),
    rejections.VersionConflict(2, 5, "Bob"),
    rejections.PatchFailed(0),
    rejections.PatchFailed(2),
    rejections.PatchFailed(0, operation=3, path="/tasks/9"),
    rejections.OutOfDate("It was changed meanwhile in the same place (title).", 5, ["title"]),
    rejections.AlreadyDecided("Bob", "rejected"),
    rejections.CommandIdReused(),
    rejections.Archived("“Notes”"),
    TooLarge("text: 9 characters; the limit is 8. Shorten it.", limit=8),
]


def test_every_rejection_has_a_code_of_its_own() -> None:
    kinds = [kind for kind in Rejection.__subclasses__() if kind.__module__ == rejections.__name__]
    assert {type(refusal) for refusal in REFUSALS} == set(kinds)
    every: list[type[Rejection]] = [Rejection, *every_kind(Rejection)]
    codes = [kind.code for kind in every]
    assert len(set(codes)) == len(codes)


def every_kind(kind: type[Rejection]) -> list[type[Rejection]]:
    return [found for child in kind.__subclasses__() for found in [child, *every_kind(child)]]


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: type(refusal).__name__)
def test_a_message_is_for_people_and_ends_in_advice(refusal: Rejection) -> None:
    advice = ("Ask", "Check", "Look", "Quote", "Bring", "Shorten", "Is too odd", "Nothing was changed")
    assert refusal.message.rsplit(". ", 1)[-1].startswith(advice) or ": Is too odd." in refusal.message
    assert refusal.message.endswith(".")
    assert str(refusal) == refusal.message


@pytest.mark.parametrize(
    ("refusal", "details"),
    [
        (Invalid({"title": "Is empty."}), {"fields": {"title": "Is empty."}}),
        (rejections.VersionConflict(2, 5, "Bob"), {"base": 2, "head": 5, "by": "Bob"}),
        (rejections.PatchFailed(3), {"occurrences": 3}),
        (
            rejections.PatchFailed(0, operation=3, path="/tasks/9"),
            {"occurrences": 0, "operation": 3, "path": "/tasks/9"},
        ),
        (rejections.OutOfDate("Why.", 5, ["title"]), {"head": 5, "conflicts": ["title"]}),
        (rejections.AlreadyDecided("Bob", "rejected"), {"by": "Bob", "decision": "rejected"}),
        (TooLarge("It is.", limit=8), {"limit": 8}),
        (NotFound(), {}),
    ],
)
def test_details_are_what_the_code_promises(refusal: Rejection, details: dict[str, Any]) -> None:
    assert refusal.details == details


def test_a_conflict_names_both_versions_and_who_made_the_newer() -> None:
    message = rejections.VersionConflict(2, 5, "Bob").message
    assert all(word in message for word in ("version 2", "version 5", "Bob"))


def test_proposals_are_decided_by_other_people_and_withdrawn_by_their_author() -> None:
    alice, agent = user_actor(1, "Alice"), agent_actor("t")
    rules.require_decider(alice, agent)
    rules.require_decider(alice, user_actor(2, "Alice"))
    rules.require_author(alice, user_actor(1, "Renamed"))
    for rule, actor, author in (
        (rules.require_decider, alice, user_actor(1, "Renamed")),
        (rules.require_decider, agent_actor("u"), agent),
        (rules.require_author, alice, agent),
    ):
        with pytest.raises(Forbidden):
            rule(actor, author)


def test_actors_are_equal_by_what_they_are() -> None:
    assert user_actor(7, "Alice") == user_actor(7, "Alice")
    assert (user_actor(7, "A").kind, user_actor(7, "A").id) == ("user", "7")
    assert agent_actor("t") != agent_actor("u")
    assert SYSTEM.kind == "system"


def test_an_envelope_is_a_fact_that_nobody_changes() -> None:
    fact = Envelope("w", 1, "said", {}, SYSTEM, datetime(2026, 1, 1, tzinfo=UTC))
    with pytest.raises(dataclasses.FrozenInstanceError):
        fact.seq = 2  # type: ignore[misc]  # the point of the test
    assert (fact.thread, fact.artifact, fact.about, fact.key) == (None, None, None, None)


@pytest.mark.parametrize(
    ("text", "refusal", "words"),
    [
        ("ab\x00c", Invalid, "note: Contains a NUL character at position 3. Remove it."),
        ("\udfff", Invalid, "note: Contains half of a surrogate pair at position 1. Remove it."),
        ("é" * 9, TooLarge, "note: 9 characters; the limit is 8. Shorten it."),
        ("", Invalid, "note: Is empty. Write something."),
        (" \n\u2003", Invalid, "note: Is empty. Write something."),
    ],
)
def test_text_that_cannot_be_is_refused_in_words(text: str, refusal: type[Rejection], words: str) -> None:
    with pytest.raises(refusal) as refused:
        checked("note", text, limit=8)
    assert refused.value.message == words


def test_text_is_kept_as_it_is_and_may_be_empty_where_it_is_not_required() -> None:
    assert checked("note", " é\U0001f680 ", limit=4) == " é\U0001f680 "
    assert checked("note", "", limit=8, required=False) == ""


def test_what_models_produce_is_cleaned_in_every_text_and_key() -> None:
    assert cleaned("a\x00b\ud800\U0001f680") == "a\ufffdb\ufffd\U0001f680"
    value = {"a\x00": ["\ud800", ("x", 1, None, True, 1.5)], 2: {"b": "\x00"}}
    assert cleaned_json(value) == {"a\ufffd": ["\ufffd", ["x", 1, None, True, 1.5]], "2": {"b": "\ufffd"}}
