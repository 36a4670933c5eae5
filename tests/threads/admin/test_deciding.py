"""Requests are decided in the admin by the transaction that every surface calls; the first decision stands."""

import json

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from artifacts.core.commands import EditArtifact
from artifacts.core.patches import WholeText
from artifacts.handle import Handle
from artifacts.models import Artifact, Event
from tests.threads.admin.asking import (
    approval,
    document,
    paused,
    question,
    run_of,
    staff,
    thread,
    waiting,
    workspace_of,
)
from threads.core import history
from threads.core.decisions import Answer, Approve, Decline
from threads.models import Request
from threads.turns import answer, stop
from threads.turns.claiming import claim
from threads.turns.owed import tail_of

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "/admin/threads/request/"
OPEN, APPROVED, DECLINED = Request.State.OPEN, Request.State.APPROVED, Request.State.DECLINED


@pytest.fixture
def alice() -> User:
    """Owns the workspace in which the agent asks."""
    return User.objects.create_user("alice")


@pytest.fixture
def root() -> User:
    """A superuser who is in none of Alice's workspaces."""
    return User.objects.create_superuser("root", first_name="Root")


@pytest.fixture
def admin(root: User) -> Client:
    return signed_in(root)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page(request: Request) -> str:
    return f"{QUEUE}{request.pk}/change/"


def asks_to_publish(alice: User) -> Request:
    """An open approval about version 1 of a document."""
    return waiting(alice, approval({"artifact": document(alice), "version": 1}))[0]


def shown(request: Request) -> dict[str, str]:
    """The hidden fields that the page has while nothing has changed."""
    return {f"version-{item['id']}": str(item["version"]) for item in request.artifacts}


def edit(alice: User, request: Request) -> None:
    """Alice changes the document that the request names."""
    named = Artifact.objects.get(pk=request.artifacts[0]["id"])
    handle = Handle.for_user(alice, workspace_of(alice))
    handle.commit(EditArtifact(str(named.pk), named.version, WholeText("Tea is black.")))


def decide(client: Client, request: Request, decision: str, **fields: str) -> HttpResponse:
    return client.post(page(request), {"decision": decision, **shown(request), **fields})  # type: ignore[return-value]


def decided(request: Request) -> Request:
    """The request as it is now."""
    return Request.objects.select_related("run").get(pk=request.pk)


def log() -> list[tuple[int, str]]:
    return list(Event.objects.order_by("id").values_list("seq", "type"))


def said(response: HttpResponse) -> str:
    """The messages at the top of a page."""
    page = response.content.decode()
    return page.partition('<ul class="messagelist">')[2].partition("</ul>")[0]


def test_approving_makes_the_run_ready(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    response = decide(admin, request, "approve")
    assert response.status_code == 302
    assert response["Location"] == QUEUE
    row = decided(request)
    assert (row.state, row.decided_by, row.run.status) == (APPROVED, "Root", "ready")
    event = Event.objects.get(type="request_answered")
    assert (event.data["decision"], event.about, event.actor_name) == ("approved", request.seq, "Root")
    assert "Approved. The agent goes on." in said(admin.get(QUEUE))  # type: ignore[arg-type]


def test_declining_tells_the_agent_why(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    decide(admin, request, "decline", reason="Not yet.\r\nIt is a draft.")
    row = decided(request)
    assert (row.state, row.run.status) == (DECLINED, "ready")
    assert Event.objects.get(type="request_answered").data["reason"] == "Not yet.\nIt is a draft."
    claimed = claim(str(request.thread_id), "6b3a2f9c-0e35-4b57-93e2-0d9d1ed1a111", "test")
    assert claimed is not None
    assert claimed.trigger == "resume"
    chunk = json.loads(request.thread.chunks.order_by("-id")[0].messages)
    assert "Not yet.\nIt is a draft." in chunk[0]["parts"][0]["content"]
    assert history.open_calls(tail_of(request.thread)) == []


def test_the_run_goes_on_only_after_the_last_of_several_requests(admin: Client, alice: User) -> None:
    first, second = waiting(alice, approval({"what": "a"}, "launch"), approval({"what": "b"}, "launch"))
    decide(admin, first, "approve")
    assert run_of(first).status == "paused"
    assert "waits for more" in said(admin.get(QUEUE))  # type: ignore[arg-type]
    decide(admin, second, "decline")
    assert run_of(first).status == "ready"


def test_what_somebody_decided_before_stands_and_says_so(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    bob = staff("bob", "decide_approvals")
    answer(bob, str(request.pk), Decline("No."))
    before = log()
    response = decide(admin, request, "approve", reason="my words")
    assert response.status_code == 409
    assert "already declined by bob" in said(response)
    assert "my words" in response.content.decode()
    assert decided(request).state == DECLINED
    assert log() == before


def test_what_was_stopped_meanwhile_says_so(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    stop(alice, str(request.thread_id))
    before = log()
    response = decide(admin, request, "approve")
    assert response.status_code == 409
    assert "withdrawn when the run ended" in said(response)
    assert run_of(request).status == "stopped"
    assert log() == before


def test_what_changed_meanwhile_is_refused_and_shown_anew(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    edit(alice, request)
    before = log()
    response = decide(admin, request, "approve", reason="half a thought")
    assert response.status_code == 409
    assert "Tea changed since this was shown to you" in said(response)
    anew = response.content.decode()
    assert "Tea is black." in anew
    assert "half a thought</textarea>" in anew
    field = next(iter(shown(request)))
    assert f'<input type="hidden" name="{field}" value="2">' in anew
    assert (decided(request).state, log()) == (OPEN, before)
    decide(admin, request, "approve", **{field: "2"})
    assert decided(request).state == APPROVED


def test_an_approval_that_says_nothing_of_versions_is_refused(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    assert admin.post(page(request), {"decision": "approve"}).status_code == 409
    assert decided(request).state == OPEN


def test_a_form_without_a_decision_decides_nothing(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    before = log()
    response = admin.post(
        page(request), {**shown(request), "_save": "Save", "state": "approved", "reason": "x"}
    )
    assert response.status_code == 422
    assert "Approve it or decline it." in said(response)  # type: ignore[arg-type]
    assert (decided(request).state, log()) == (OPEN, before)


def test_an_editor_answers_a_question(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_staff=True, is_superuser=True)
    request = waiting(alice, question("Which tea?", "green", "black"))[0]
    client = signed_in(alice)
    assert "Which tea?" in client.get(page(request)).content.decode()
    client.post(page(request), {"choice": "green", "text": ""})
    assert Event.objects.get(type="request_answered").data["answer"] == "green"
    assert run_of(request).status == "ready"


def test_who_may_only_view_answers_no_question(alice: User) -> None:
    request = waiting(alice, question("Which tea?"))[0]
    admin = signed_in(staff("viewer", "view_request"))
    shown = admin.get(page(request)).content.decode()
    assert "An editor of this workspace may answer this" in shown
    assert "data-request" not in shown
    before = log()
    response = admin.post(page(request), {"text": "green"})
    assert response.status_code == 404
    assert "you have no access to it" in said(response)  # type: ignore[arg-type]
    assert log() == before


def test_many_are_approved_at_once_each_in_the_version_that_the_list_showed(
    admin: Client, alice: User
) -> None:
    requests = [asks_to_publish(alice) for _ in range(3)]
    posted = ticked(admin, requests)
    edit(alice, requests[1])
    answer(staff("bob", "decide_approvals"), str(requests[2].pk), Decline("No."))
    asks = admin.post(QUEUE, {**posted, "action": "approve_selected"}).content.decode()
    assert "Approve these?" in asks
    assert [decided(request).state for request in requests] == [OPEN, OPEN, DECLINED]
    sure = {**posted, "action": "approve_selected", "confirmed": "yes"}
    told = said(admin.post(QUEUE, sure, follow=True))  # type: ignore[arg-type]
    assert "1 approved." in told
    assert "“Tea”, publish_artifact: Tea changed since this was shown to you." in told
    assert "“Tea”, publish_artifact: This was already declined by bob." in told
    assert [decided(request).state for request in requests] == [APPROVED, OPEN, DECLINED]


def test_many_are_declined_at_once_for_one_reason(admin: Client, alice: User) -> None:
    requests = [asks_to_publish(alice) for _ in range(2)]
    posted = {**ticked(admin, requests), "action": "decline_selected"}
    assert 'name="reason"' in admin.post(QUEUE, posted).content.decode()
    sure = {**posted, "confirmed": "yes", "reason": "Busy"}
    assert "2 declined." in said(admin.post(QUEUE, sure, follow=True))  # type: ignore[arg-type]
    assert [decided(request).state for request in requests] == [DECLINED, DECLINED]
    reasons = [event.data["reason"] for event in Event.objects.filter(type="request_answered")]
    assert reasons == ["Busy", "Busy"]


@pytest.mark.parametrize("odd", ["question", "tool", "long"])
def test_only_short_approvals_of_one_tool_are_decided_together(admin: Client, alice: User, odd: str) -> None:
    other = {
        "question": question("Which?"),
        "tool": approval({}, "launch"),
        "long": approval({"text": "x" * 5_000}),
    }[odd]
    requests = [asks_to_publish(alice), waiting(alice, other)[0]]
    posted = {**ticked(admin, requests), "action": "approve_selected", "confirmed": "yes"}
    before = log()
    assert "Nothing was changed." in said(admin.post(QUEUE, posted, follow=True))  # type: ignore[arg-type]
    assert ([decided(request).state for request in requests], log()) == ([OPEN, OPEN], before)


def test_selecting_everything_decides_only_what_was_on_the_page(admin: Client, alice: User) -> None:
    first, second = (asks_to_publish(alice) for _ in range(2))
    posted = ticked(admin, [first])
    admin.post(QUEUE, {**posted, "action": "approve_selected", "select_across": "1", "confirmed": "yes"})
    assert (decided(first).state, decided(second).state) == (APPROVED, OPEN)


def ticked(client: Client, requests: list[Request]) -> dict[str, object]:
    """What the list's form posts with these requests ticked, its hidden fields included."""
    html = client.get(QUEUE).content.decode()
    fields = {}
    for piece in html.split('<input type="hidden" name="shown-')[1:]:
        name, _, rest = piece.partition('" value="')
        fields[f"shown-{name}"] = rest.partition('"')[0]
    assert len(fields) == Request.objects.filter(state=OPEN).count()
    return {**fields, "index": "0", "_selected_action": [str(request.pk) for request in requests]}


def test_who_may_only_view_reads_and_decides_nothing(alice: User) -> None:
    request = asks_to_publish(alice)
    viewer = signed_in(staff("viewer", "view_request"))
    html = viewer.get(page(request)).content.decode()
    assert "Only a reviewer may decide this." in html
    assert "data-request" not in html
    assert 'value="approve_selected"' not in viewer.get(QUEUE).content.decode()
    before = log()
    assert decide(viewer, request, "approve").status_code == 404
    viewer.post(QUEUE, {"action": "approve_selected", "index": "0", "_selected_action": [str(request.pk)]})
    assert (decided(request).state, log()) == (OPEN, before)


def test_a_reviewer_needs_one_permission_alone(alice: User) -> None:
    request = asks_to_publish(alice)
    reviewer = signed_in(staff("reviewer", "decide_approvals"))
    assert 'value="approve_selected"' in reviewer.get(QUEUE).content.decode()
    decide(reviewer, request, "approve")
    assert decided(request).state == APPROVED


@pytest.mark.parametrize(
    "who", ["staff without permissions", "member", "reviewer who is no staff", "inactive", "anonymous"]
)
def test_others_come_to_no_page_and_decide_nothing(alice: User, who: str) -> None:
    request = asks_to_publish(alice)
    client = Client()
    if who == "staff without permissions":
        client.force_login(staff("eve"))
    elif who == "member":
        client.force_login(alice)
    elif who != "anonymous":
        user = staff("eve", "decide_approvals", "view_request")
        client.force_login(user)
        User.objects.filter(pk=user.pk).update(is_staff=who == "inactive", is_active=who != "inactive")
    before = log()
    for address in (QUEUE, page(request)):
        assert client.get(address).status_code in (302, 403)
        assert client.post(address, {"decision": "approve", **shown(request)}).status_code in (302, 403)
    assert (decided(request).state, log()) == (OPEN, before)


def test_looking_changes_nothing(admin: Client, alice: User) -> None:
    request = asks_to_publish(alice)
    before = (log(), Request.objects.values().get(), list(Artifact.objects.values()), run_of(request).status)
    for address in (QUEUE, page(request)):
        for query in (
            {},
            {"decision": "approve", **shown(request)},
            {"action": "approve_selected", "index": "0"},
        ):
            admin.get(address, query)
            admin.head(address, query)
    assert (
        log(),
        Request.objects.values().get(),
        list(Artifact.objects.values()),
        run_of(request).status,
    ) == before


def test_a_post_without_a_token_is_refused(root: User, alice: User) -> None:
    request = asks_to_publish(alice)
    client = Client(enforce_csrf_checks=True)
    client.force_login(root)
    assert decide(client, request, "approve").status_code == 403
    assert decided(request).state == OPEN


def test_a_decided_request_shows_who_decided_what(admin: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(first_name="Alice")
    alice.refresh_from_db()
    request = waiting(alice, question("Which tea?"))[0]
    answer(alice, str(request.pk), Answer("Oolong, of course"))
    html = admin.get(page(request)).content.decode()
    assert "Answered by Alice" in html
    assert "Oolong, of course" in html
    assert str(request.pk) not in admin.get(QUEUE).content.decode()
    assert str(request.pk) in admin.get(QUEUE, {"state": "answered"}).content.decode()
    assert str(request.pk) in admin.get(QUEUE, {"state": "all"}).content.decode()


def test_a_request_that_does_not_exist_is_said_to(admin: Client) -> None:
    for id in ("6b3a2f9c-0e35-4b57-93e2-0d9d1ed1a111", "nonsense"):
        assert "doesn’t exist" in said(admin.get(f"{QUEUE}{id}/change/", follow=True))  # type: ignore[arg-type]


def test_a_workspace_that_does_not_exist_narrows_to_nothing_worse_than_the_whole_list(admin: Client) -> None:
    for workspace in ("6b3a2f9c-0e35-4b57-93e2-0d9d1ed1a111", "nonsense"):
        assert admin.get(QUEUE, {"workspace": workspace}, follow=True).status_code == 200


def test_approving_through_another_surface_first(admin: Client, alice: User, root: User) -> None:
    request = paused(thread(alice), approval({"what": "it"}, "launch"))[0]
    answer(root, str(request.pk), Approve())
    assert "already approved by Root" in said(decide(admin, request, "decline", reason="late"))
