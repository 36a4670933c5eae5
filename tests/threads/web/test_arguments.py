"""The arguments of a call, changed on the approval card and in the admin."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from artifacts.core.rejections import Invalid
from tests.artifacts.web.people import Team, browser
from tests.threads.web.turns import asks_leave, thread_with, turn
from threads.models import Request
from threads.web.arguments import argument_fields, edited_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "note": {"type": "string"},
        "odd": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["text", "count"],
    "additionalProperties": False,
}
GIVEN = {"text": "\none\r\ntwo", "count": 2, "tags": ["a"]}


def asked(**arguments: Any) -> Request:
    return Request(arguments=arguments, schema=SCHEMA)


def posted(request: Request, **changed: str) -> dict[str, str]:
    """What a browser sends: every field, with its own line ends."""
    fields = {field.field: field.value.replace("\r\n", "\n") for field in argument_fields(request, {})}
    fields |= {f"argument-{name}": value for name, value in changed.items()}
    return {name: value.replace("\n", "\r\n") for name, value in fields.items()}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, None),
        ({"count": "3"}, {**GIVEN, "count": 3}),
        ({"text": "three\nfour"}, {**GIVEN, "text": "three\nfour"}),
        ({"text": ""}, {**GIVEN, "text": ""}),
        ({"tags": ""}, {"text": GIVEN["text"], "count": 2}),
        ({"note": "new"}, {**GIVEN, "note": "new"}),
        ({"odd": "null"}, {**GIVEN, "odd": None}),
        ({"odd": " "}, GIVEN),
    ],
)
def test_what_changed_is_read_and_the_rest_stays_to_the_letter(
    changed: dict[str, str], expected: dict[str, Any] | None
) -> None:
    request = asked(**GIVEN)
    assert edited_arguments(request, posted(request, **changed)) == expected


def test_what_is_no_json_is_refused_by_name() -> None:
    request = asked(**GIVEN)
    with pytest.raises(Invalid) as refused:
        edited_arguments(request, posted(request, count="many"))
    assert "count" in refused.value.details["fields"]


def test_too_much_is_not_offered_for_editing() -> None:
    offered = argument_fields(asked(text="x" * 100_001, count=2), {})
    assert "text" not in [field.name for field in offered]
    assert argument_fields(asked(**{f"n{number}": "x" for number in range(40)}), {}) == []


@pytest.mark.parametrize("schema", [{}, {"properties": 3}, {"properties": {"a": True}}])
def test_a_schema_may_say_nothing(schema: dict[str, Any]) -> None:
    fields = argument_fields(Request(arguments={"b": "x"}, schema=schema), {})
    assert [field.name for field in fields if field.is_given] == ["b"]


def card(team: Team) -> Request:
    return asks_leave(turn(thread_with(team.alice, team.workspace, "Go")), "launch", SCHEMA, **GIVEN)


def approved_with(request: Request) -> object:
    return (Request.objects.get(pk=request.pk).answer or {})["arguments"]


@pytest.mark.parametrize("htmx", [False, True])
def test_a_reviewer_changes_the_arguments_on_the_card(team: Team, htmx: bool) -> None:  # noqa: FBT001 (pytest gives it)
    request = card(team)
    rob = browser(team.rob, htmx=htmx)
    page = browser(team.rob).get(f"/threads/{request.thread_id}/").content.decode()
    assert 'name="argument-count"' in page
    data = {**posted(request, count="5"), "decision": "approve"}
    answer = rob.post(f"/requests/{request.pk}/answer/", data)
    assert answer.status_code == (200 if htmx else 303)
    assert approved_with(request) == {**GIVEN, "count": 5}
    page = browser(team.vera).get(f"/threads/{request.thread_id}/").content.decode()
    assert "approved with changed arguments" in page


def test_arguments_that_the_tool_does_not_take_are_refused_and_kept(team: Team) -> None:
    request = card(team)
    data = {**posted(request, count="0"), "decision": "approve"}
    answer = browser(team.rob).post(f"/requests/{request.pk}/answer/", data)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "0 is less than the minimum of 1." in page
    assert ">\n0</textarea>" in page
    assert '<details class="edits" open>' in page
    assert Request.objects.get(pk=request.pk).state == "open"


@pytest.mark.parametrize("levels", [1_500, 200_000])
def test_json_that_is_nested_too_deep_is_refused_like_any_other(team: Team, levels: int) -> None:
    request = card(team)
    data = {**posted(request, tags="[" * levels + "]" * levels), "decision": "approve"}
    assert browser(team.rob).post(f"/requests/{request.pk}/answer/", data).status_code == 422
    assert browser(team.rob, htmx=True).post(f"/requests/{request.pk}/answer/", data).status_code == 422
    assert Request.objects.get(pk=request.pk).state == "open"


def test_a_decline_takes_no_notice_of_changed_arguments(team: Team) -> None:
    request = card(team)
    data = {**posted(request, count="nonsense"), "decision": "decline", "reason": "no"}
    assert browser(team.rob).post(f"/requests/{request.pk}/answer/", data).status_code == 303
    assert Request.objects.get(pk=request.pk).state == "declined"


def test_a_short_argument_beside_a_long_one_is_changed(team: Team) -> None:
    request = asked(text="x" * 200_000, count=2)
    assert edited_arguments(request, posted(request, count="3")) == {"text": "x" * 200_000, "count": 3}


def test_staff_change_the_arguments_on_the_review_page(team: Team) -> None:
    request = card(team)
    root = browser(User.objects.create_superuser("root"))
    path = f"/admin/threads/request/{request.pk}/change/"
    assert 'name="argument-text"' in root.get(path).content.decode()
    refused = root.post(path, {**posted(request, count="x"), "decision": "approve"})
    assert refused.status_code == 422
    assert ">\nx</textarea>" in refused.content.decode()
    done = root.post(path, {**posted(request, count="7", text="new"), "decision": "approve"})
    assert done.status_code == 302
    assert approved_with(request) == {**GIVEN, "count": 7, "text": "new"}
    page = root.get(path).content.decode()
    assert "As root changed them" in page
    assert "<del>2</del><ins>7</ins>" in page
