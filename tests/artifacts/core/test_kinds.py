"""Kinds: what a document and a plan may hold, and how a refusal names what is wrong."""

from collections.abc import Iterator
from typing import Any

import pytest

from artifacts.core.kinds import Document, Kind, Plan, base, kind_named, kinds
from artifacts.core.kinds.base import validated
from artifacts.core.limits import USUAL, Limits
from artifacts.core.rejections import Invalid, TooLarge

TITLE_LIMIT, SIZE_LIMIT = USUAL.title_characters, USUAL.artifact_bytes
NUL, HALF = "\x00", "\ud83d"
TASK = {"id": "1", "name": "Buy paint"}


@pytest.fixture
def anything() -> Iterator[type[Kind]]:
    """A kind of an application's own, which holds nested data of any shape."""

    class Anything(Kind):
        content: dict[str, Any] = {}
        number: float | int = 0

        def title(self) -> str:
            return "Anything"

    yield Anything
    del base._registered["anything"]


def plan(*tasks: dict[str, str], goal: str = "Paint the house") -> Plan:
    return Plan.model_validate({"goal": goal, "tasks": list(tasks)})


def test_the_two_kinds_are_known_by_name() -> None:
    assert kinds()["document"] is Document
    assert kinds()["plan"] is Plan


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(Invalid) as refused:
        kind_named("spreadsheet" + HALF)
    assert "Known kinds: document, plan" in refused.value.details["fields"]["kind"]
    refused.value.message.encode()


def test_changing_the_list_of_kinds_registers_nothing() -> None:
    kinds().clear()
    assert kind_named("document") is Document


@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        (Document, {}, "title"),
        (Document, {"title": 5}, "title"),
        (Document, {"title": ""}, "title"),
        (Document, {"title": " \n"}, "title"),
        (Document, {"title": "A", "text": None}, "text"),
        (Document, {"title": "A", "text": "", "author": "me"}, "author"),
        (Document, None, "data"),
        (Document, ["title"], "data"),
        (Plan, {}, "goal"),
        (Plan, {"goal": ""}, "goal"),
        (Plan, {"goal": "A", "tasks": "none"}, "tasks"),
        (Plan, {"goal": "A", "tasks": [TASK, {"id": "2"}]}, "tasks.1.name"),
        (Plan, {"goal": "A", "tasks": [{**TASK, "id": ""}]}, "tasks.0.id"),
        (Plan, {"goal": "A", "tasks": [{**TASK, "id": "x" * 41}]}, "tasks.0.id"),
        (Plan, {"goal": "A", "tasks": [{**TASK, "name": ""}]}, "tasks.0.name"),
        (Plan, {"goal": "A", "tasks": [{**TASK, "name": "x" * 501}]}, "tasks.0.name"),
        (Plan, {"goal": "A", "tasks": [{**TASK, "status": "later"}]}, "tasks.0.status"),
        (Plan, {"goal": "A", "tasks": [{**TASK, "owner": "Bob"}]}, "tasks.0.owner"),
        (Plan, {"goal": "A", "tasks": [TASK, TASK]}, "data"),
    ],
)
def test_what_does_not_fit_is_refused_by_the_name_of_its_field(
    kind: type[Kind], data: Any, field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        validated(kind, data)
    assert list(refused.value.details["fields"]) == [field]
    assert field in refused.value.message
    assert refused.value.message.endswith(".")


@pytest.mark.parametrize(("kind", "field"), [(Document, "title"), (Plan, "goal")])
def test_a_title_that_is_too_long_is_refused_by_the_name_of_its_field(kind: type[Kind], field: str) -> None:
    with pytest.raises(TooLarge) as refused:
        validated(kind, {field: "x" * (TITLE_LIMIT + 1)})
    assert refused.value.message.startswith(f"{field}: ")


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        validated(Plan, {"goal": "", "tasks": [{"id": "", "name": ""}]})
    assert set(refused.value.details["fields"]) == {"goal", "tasks.0.id", "tasks.0.name"}


@pytest.mark.parametrize(
    "data",
    [
        {"goal": "A", "tasks": [{"id": "", "name": ""}] * 10_000},
        {"goal": "A", "x" * 100_000: 1},
        {"goal": "A", **{f"extra{number}": 1 for number in range(10_000)}},
    ],
    ids=["many tasks", "a long name", "many fields"],
)
def test_a_refusal_is_short_however_much_is_wrong(data: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        validated(Plan, data)
    assert len(refused.value.message) < 5_000


@pytest.mark.parametrize("bad", [NUL, HALF, "\udc00"])
@pytest.mark.parametrize(
    ("kind", "make", "field"),
    [
        (Document, lambda bad: {"title": f"A{bad}"}, "title"),
        (Document, lambda bad: {"title": "A", "text": f"{bad}B"}, "text"),
        (Document, lambda bad: {"title": "A", f"te{bad}xt": "B"}, "data key"),
        (Document, lambda bad: {"title": "A", "extra": [{"deep": bad}]}, "extra.0.deep"),
        (Document, lambda bad: bad, "data"),
        (Plan, lambda bad: {"goal": bad}, "goal"),
        (Plan, lambda bad: {"goal": "A", "tasks": [TASK, {**TASK, "id": bad}]}, "tasks.1.id"),
        (Plan, lambda bad: {"goal": "A", "tasks": [{**TASK, "name": bad}]}, "tasks.0.name"),
        (Plan, lambda bad: {"goal": "A", "tasks": [{**TASK, "status": bad}]}, "tasks.0.status"),
        (Plan, lambda bad: {"goal": "A", "tasks": [{**TASK, "note": bad}]}, "tasks.0.note"),
        (Plan, lambda bad: {"goal": "A", "tasks": [{**TASK, bad: ""}]}, "tasks.0 key"),
    ],
)
def test_nul_and_half_surrogates_are_named_and_refused_everywhere(
    kind: type[Kind], make: Any, field: str, bad: str
) -> None:
    with pytest.raises(Invalid) as refused:
        validated(kind, make(bad))
    assert list(refused.value.details["fields"]) == [field]
    assert ("NUL" if bad == NUL else "surrogate") in refused.value.message
    refused.value.message.encode()


def test_forbidden_text_is_found_in_an_application_s_nested_data(anything: type[Kind]) -> None:
    for bad in (NUL, HALF):
        for content in ({"a": [{"b": bad}]}, {"a": ({bad: 1},)}):
            with pytest.raises(Invalid):
                validated(anything, {"content": content})


def test_deeply_nested_data_is_refused_and_does_not_crash() -> None:
    deep: Any = NUL
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(Invalid):
        validated(Document, {"title": "A", "text": deep})


def test_numbers_that_no_database_stores_are_refused(anything: type[Kind]) -> None:
    for number in (float("nan"), float("inf"), 10**5000):
        with pytest.raises(Invalid, match="no database stores"):
            validated(anything, {"number": number})


def test_a_site_s_limits_hold(anything: type[Kind]) -> None:
    limits = Limits(artifact_bytes=40, title_characters=3)
    assert validated(Document, {"title": "ABC"}, limits).title() == "ABC"
    for data in ({"title": "ABCD"}, {"title": "A", "text": "é" * 20}):
        with pytest.raises(TooLarge):
            validated(Document, data, limits)


def test_the_escape_of_nul_is_text_like_any_other() -> None:
    assert (
        validated(Document, {"title": "A", "text": "\\u0000 \\ud800"}).render_for_agent() == "\\u0000 \\ud800"
    )


def test_any_other_unicode_is_kept_as_it_is() -> None:
    text = "é e\u0301 \u202e \U0001f469\u200d\U0001f680 \x01 \ufffe\r\n\t\u2028"
    assert validated(Document, {"title": "Ω", "text": text}).render_for_agent() == text


def test_a_title_may_have_200_characters_and_a_document_a_mebibyte() -> None:
    assert len(validated(Document, {"title": "é" * TITLE_LIMIT}).title()) == TITLE_LIMIT
    frame = len('{"title": "A", "text": ""}')
    validated(Document, {"title": "A", "text": "x" * (SIZE_LIMIT - frame)})
    with pytest.raises(TooLarge) as refused:
        validated(Document, {"title": "A", "text": "x" * (SIZE_LIMIT - frame + 1)})
    assert refused.value.details == {"limit": SIZE_LIMIT}


def test_what_is_validated_is_stored_in_the_form_it_was_given() -> None:
    data = {"title": "A", "text": "B"}
    assert validated(Document, data).model_dump(mode="json") == data
    assert validated(Document, {"title": "A"}).model_dump(mode="json") == {"title": "A", "text": ""}


def test_an_agent_reads_the_text_of_a_document_the_lines_of_a_plan_and_the_json_of_others(
    anything: type[Kind],
) -> None:
    tasks = [
        TASK,
        {**TASK, "id": "2", "status": "doing"},
        {**TASK, "id": "3", "status": "done", "note": "red"},
    ]
    lines = ["Paint", "[ ] Buy paint <1>", "[~] Buy paint <2>", "[x] Buy paint (red) <3>"]
    assert plan(*tasks, goal="Paint").render_for_agent() == "\n".join(lines)
    assert validated(anything, {"content": {"é": 1}}).render_for_agent().count("é") == 1


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (plan(), plan(TASK), "added the task “Buy paint”"),
        (plan(TASK), plan(), "dropped the task “Buy paint”"),
        (plan(TASK), plan({**TASK, "name": "Buy red"}), "renamed the task “Buy paint” to “Buy red”"),
        (plan(TASK), plan({**TASK, "status": "done"}), "set the task “Buy paint” to done"),
        (plan(TASK), plan({**TASK, "note": "red"}), "changed the note of the task “Buy paint” to “red”"),
        (plan(), plan(goal="Paint all"), "renamed the goal to “Paint all”"),
        (
            plan(TASK, {"id": "2", "name": "B"}),
            plan({"id": "2", "name": "B"}, TASK),
            "reordered the tasks",
        ),
        (
            plan(TASK, {"id": "2", "name": "B"}),
            plan({"id": "3", "name": "C"}, {"id": "2", "name": "B", "status": "doing"}),
            "added the task “C”; dropped the task “Buy paint”; set the task “B” to doing",
        ),
    ],
)
def test_a_plan_says_in_words_what_changed(before: Plan, after: Plan, words: str) -> None:
    assert after.describe_change(before) == words


def test_a_plan_without_a_change_and_a_document_say_nothing() -> None:
    assert plan(TASK).describe_change(plan(TASK)) is None
    one, other = (Document.model_validate({"title": title}) for title in "AB")
    assert one.describe_change(other) is None
