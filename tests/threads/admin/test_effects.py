"""What the review page shows of a call: what it would make of an artifact, and what somebody changes in it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from artifacts.core.commands import EditArtifact
from artifacts.core.patches import WholeText
from artifacts.handle import Handle
from artifacts.models import Artifact, Event
from tests.threads.admin.asking import approval, document, signed_in, waiting, workspace_of
from threads.admin.requests.effects import EFFECTS, edits
from threads.core.decisions import Approve
from threads.models import Request
from threads.turns import answer

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"count": {"type": "integer", "minimum": 1}, "text": {"type": "string"}},
    "required": ["count", "text"],
    "additionalProperties": False,
}


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def admin() -> Client:
    return signed_in(User.objects.create_superuser("root"))


def page(request: Request) -> str:
    return f"/admin/threads/request/{request.pk}/change/"


def effect(admin: Client, request: Request) -> str:
    """The part of the page that shows what would come of the call."""
    html = admin.get(page(request)).content.decode()
    return html.partition('id="effect"')[2].partition("</fieldset>")[0]


def test_an_edit_shows_its_diff_and_what_comes_of_it(admin: Client, alice: User) -> None:
    arguments = {"artifact": document(alice, "Tea", "Tea is green."), "old": "green", "new": "**black**"}
    shown = effect(admin, waiting(alice, approval(arguments, "edit_text"))[0])
    assert "What would change in “Tea”, version 1" in shown
    assert "<del>green</del><ins>**black**</ins>" in shown
    assert "Tea is <strong>black</strong>." in shown


def test_an_edit_that_no_longer_applies_says_so(admin: Client, alice: User) -> None:
    arguments = {"artifact": document(alice, "Tea", "Tea is black."), "old": "green", "new": "red"}
    shown = effect(admin, waiting(alice, approval(arguments, "edit_text"))[0])
    assert "does not occur in the current version" in shown


@pytest.mark.parametrize("arguments", [{}, {"artifact": "x", "old": "a", "new": "b"}, {"artifact": None}])
def test_arguments_that_are_none_of_this_tools_break_nothing(
    admin: Client, alice: User, arguments: dict[str, Any]
) -> None:
    assert "It would fail" in effect(admin, waiting(alice, approval(arguments, "edit_text"))[0])


def test_another_workspaces_artifact_is_not_shown(admin: Client, alice: User) -> None:
    bob = User.objects.create_user("bob")
    arguments = {"artifact": document(bob, "Secret", "of Bob"), "old": "of", "new": "by"}
    shown = effect(admin, waiting(alice, approval(arguments, "edit_text"))[0])
    assert "does not exist" in shown
    assert "Secret" not in shown


def test_what_is_created_is_shown_as_it_will_look(admin: Client, alice: User) -> None:
    arguments = {"kind": "document", "data": {"title": "Mate", "text": "# Mate\n\nFrom **Brazil**"}}
    shown = effect(admin, waiting(alice, approval(arguments, "create_artifact"))[0])
    assert "A new document: “Mate”" in shown
    assert "<strong>Brazil</strong>" in shown
    arguments["kind"] = "nothing"
    assert "There is no kind" in effect(admin, waiting(alice, approval(arguments, "create_artifact"))[0])


def test_publishing_an_old_version_says_that_it_is_old(admin: Client, alice: User) -> None:
    id = document(alice, "Tea", "Tea is green.")
    Handle.for_user(alice, workspace_of(alice)).commit(EditArtifact(id, 1, WholeText("Tea is black.")))
    shown = effect(admin, waiting(alice, approval({"artifact": id, "version": 1}))[0])
    assert "Version 1 of “Tea” for everybody to read" in shown
    assert "It is not the newest: there is version 2." in shown
    assert "<del>green</del><ins>black</ins>" in shown


def test_an_applications_tool_is_added(admin: Client, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EFFECTS, "rewrite", edits(lambda arguments: WholeText(arguments["text"])))
    arguments = {"artifact": document(alice), "text": "Tea is red."}
    assert "<del>green</del><ins>red</ins>" in effect(
        admin, waiting(alice, approval(arguments, "rewrite"))[0]
    )
    assert effect(admin, waiting(alice, approval(arguments, "unknown"))[0]) == ""


def test_a_change_is_shown_before_it_is_approved(admin: Client, alice: User) -> None:
    arguments = {"artifact": document(alice), "old": "green", "new": "red"}
    request = waiting(alice, approval(arguments, "edit_text"))[0]
    before = list(Event.objects.values_list("seq", "type"))
    fields = {f"argument-{name}": value for name, value in {**arguments, "new": "blue"}.items()}
    html = admin.post(page(request), {**fields, "decision": "preview"}).content.decode()
    assert "As you changed them" in html
    assert "<del>red</del><ins>blue</ins>" in html
    assert "<del>green</del><ins>blue</ins>" in html
    assert ">\nblue</textarea>" in html
    assert list(Event.objects.values_list("seq", "type")) == before
    assert Request.objects.get(pk=request.pk).state == "open"
    assert Artifact.objects.get().version == 1


@pytest.mark.parametrize("decision", ["preview", "approve"])
def test_a_change_that_the_tool_does_not_take_is_refused(admin: Client, alice: User, decision: str) -> None:
    request = waiting(alice, approval({"count": 2, "text": "a"}, "launch", SCHEMA))[0]
    answered = admin.post(page(request), {"argument-count": "0", "argument-text": "a", "decision": decision})
    assert answered.status_code == 422
    assert "0 is less than the minimum of 1." in answered.content.decode()
    assert Request.objects.get(pk=request.pk).state == "open"


def test_arguments_that_no_longer_fit_the_schema_are_said_to(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({"count": "many", "old": 1}, "launch", SCHEMA))[0]
    html = admin.get(page(request)).content.decode()
    assert "The tool would not take these arguments as they are." in html
    assert "&#x27;many&#x27; is not of type &#x27;integer&#x27;." in html
    assert "&#x27;text&#x27; is a required property." in html
    fits = waiting(alice, approval({"count": 1, "text": "a"}, "launch", SCHEMA))[0]
    assert "would not take" not in admin.get(page(fits)).content.decode()


@pytest.mark.parametrize("schema", [{"type": 7}, {"$ref": "https://example.org/x"}, {"properties": []}])
def test_a_schema_that_is_none_breaks_no_page(admin: Client, alice: User, schema: dict[str, Any]) -> None:
    request = waiting(alice, approval({"a": 1}, "launch", schema))[0]
    html = admin.get(page(request)).content.decode()
    assert f'data-request="{request.pk}"' in html
    answer(User.objects.get(username="root"), str(request.pk), Approve())


def test_200_kilobytes_are_shown_whole_and_stay_while_another_argument_is_changed(
    admin: Client, alice: User
) -> None:
    long = "x" * 200_000 + "END"
    request = waiting(alice, approval({"count": 2, "text": long}, "launch", SCHEMA))[0]
    html = admin.get(page(request)).content.decode()
    assert "xEND</pre>" in html
    assert 'name="argument-count"' in html
    assert 'name="argument-text"' not in html
    done = admin.post(page(request), {"argument-count": "3", "decision": "approve"})
    assert done.status_code == 302
    answered = Request.objects.get(pk=request.pk).answer
    assert answered is not None
    assert answered["arguments"] == {"count": 3, "text": long}
    assert "<del>2</del><ins>3</ins>" in admin.get(page(request)).content.decode()


def test_the_thread_shows_who_decided_with_which_change(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({"count": 2, "text": "as it was"}, "launch", SCHEMA))[0]
    admin.post(page(request), {"argument-count": "3", "argument-text": "as it was", "decision": "approve"})
    shown = signed_in(alice).get(f"/threads/{request.thread_id}/").content.decode()
    verdict = shown.partition('class="verdict"')[2].partition("</section>")[0]
    assert "<strong>root</strong> approved with changed arguments" in verdict
    assert "<dt>count</dt><dd>3</dd>" in verdict
    assert "as it was" not in verdict
    assert "<time" in verdict


def test_djangos_history_leads_to_the_event(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({"what": "it"}, "launch"))[0]
    admin.post(page(request), {"decision": "approve"})
    seq = Event.objects.get(type="request_answered").seq
    history = admin.get(f"/admin/threads/request/{request.pk}/history/").content.decode()
    address = f"/admin/artifacts/event/?workspace={request.thread.workspace_id}&amp;seq={seq}"
    assert f'approved (<a href="{address}">event {seq} of the log</a>)' in history
    found = admin.get(address.replace("&amp;", "&")).context["cl"].result_list
    assert [event.type for event in found] == ["request_answered"]
