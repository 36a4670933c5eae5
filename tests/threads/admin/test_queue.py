"""The queue and the review page: what they show, inert, and how much they ask of the database."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.threads.admin.asking import approval, document, left_draft, question, waiting
from threads.models import Request

pytestmark = pytest.mark.django_db

QUEUE = "/admin/threads/request/"
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)> {{ 7|add:7 }} \u202e"


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


@pytest.fixture
def admin(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client


def html(client: Client, address: str, query: dict[str, Any] | None = None) -> str:
    return client.get(address, query or {}).content.decode()


def review(client: Client, request: Request) -> str:
    return html(client, f"{QUEUE}{request.pk}/change/")


def test_the_longest_waiting_comes_first(admin: Client, alice: User) -> None:
    rows = [waiting(alice, approval({"n": n}, "launch"))[0] for n in range(3)]
    page = html(admin, QUEUE)
    places = [page.index(str(row.pk)) for row in rows]
    assert places == sorted(places)
    assert "n: 1" in page
    assert "just now" in page


def test_a_row_says_who_wants_what_about_which_artifact(admin: Client, alice: User) -> None:
    waiting(alice, approval({"artifact": document(alice, "Green tea"), "version": 1}), title="A chat")
    page = html(admin, QUEUE)
    for words in (
        "publish_artifact",
        "artifact: “Green tea”",
        "version: 1",
        "<br>Green tea, version 1",
        "A chat",
    ):
        assert words in page
    assert "Alice’s workspace" in page


def test_a_queue_is_narrowed_by_state_kind_tool_and_workspace(admin: Client, alice: User) -> None:
    bob = User.objects.create_user("bob")
    launch = waiting(alice, approval({}, "launch"))[0]
    asked = waiting(bob, question("Which tea?"))[0]

    def found(**query: str) -> list[bool]:
        page = html(admin, QUEUE, query)
        return [str(row.pk) in page for row in (launch, asked)]

    assert found() == [True, True]
    assert found(kind__exact="question") == [False, True]
    assert found(tool="launch") == [True, False]
    assert found(workspace=str(asked.thread.workspace_id)) == [False, True]
    assert found(state="approved") == [False, False]
    assert found(state="all", _facets="True") == [True, True]
    assert found(q="launch") == [True, False]


def test_the_review_page_shows_all_that_a_decision_needs(admin: Client, alice: User) -> None:
    id = document(alice, "Green tea", "It is **steamed**.")
    request = waiting(alice, approval({"artifact": id, "deep": {"list": [1, "zwei"]}}))[0]
    page = review(admin, request)
    for words in (
        "publish_artifact",
        "Make it public.",
        id,
        "&quot;zwei&quot;",
        "<strong>Green tea</strong>, version 1",
        "It is <strong>steamed</strong>.",
        "Publish it, please",
        "I need leave for this.",
        f'<a href="/threads/{request.thread_id}/">',
        f'<form method="post" data-request="{request.pk}" data-kind="approval">',
        f'<input type="hidden" name="version-{id}" value="1">',
    ):
        assert words in page


def test_a_request_is_shown_whole_and_its_conversation_bounded(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({"text": "x" * 200_000 + "END"}, "launch"))[0]
    assert "xEND</pre>" in review(admin, request)
    assert len(html(admin, QUEUE)) < 60_000


def test_what_others_wrote_is_shown_inert(admin: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(first_name=HOSTILE[:150])
    alice.refresh_from_db()
    hostile = {
        HOSTILE: HOSTILE,
        "artifact": document(alice, HOSTILE, HOSTILE),
        "list": [HOSTILE, {HOSTILE: HOSTILE}],
    }
    approved = waiting(alice, approval(hostile, HOSTILE), title=HOSTILE)[0]
    asked = waiting(alice, question(HOSTILE, HOSTILE, "b"), title=HOSTILE)[0]
    pages = [html(admin, QUEUE, {"_facets": "True"}), review(admin, approved), review(admin, asked)]
    pages.append(admin.post(f"{QUEUE}{approved.pk}/change/", {"reason": HOSTILE}).content.decode())
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page
        assert "14" not in re.findall(r"alert\(1\)&gt; (\S+)", page)


def test_nothing_is_inline(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({"artifact": document(alice)}))[0]
    for page in (html(admin, QUEUE), review(admin, request)):
        assert not re.search(r"<[^>]*\s(style|on\w+)=", page)
        assert all(
            "nonce=" in tag for tag in re.findall(r"<(?:script|style|link)[^>]*>", page) if "icon" not in tag
        )


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_a_list_asks_as_little_with_50_requests_as_with_5(admin: Client, alice: User) -> None:
    people = [User.objects.create_user(f"person {n}") for n in range(10)]
    html(admin, QUEUE)

    def more(count: int) -> None:
        for n in range(count):
            person = people[n % len(people)]
            waiting(person, approval({"artifact": document(person, f"Tea {n}"), "version": 1}))

    more(5)
    few = queries(admin, QUEUE), queries(admin, f"{QUEUE}?_facets=True")
    more(45)
    assert Request.objects.count() == 50
    assert (queries(admin, QUEUE), queries(admin, f"{QUEUE}?_facets=True")) == few
    assert few[0] <= 12


def test_every_page_around_a_request_shows_what_others_wrote_inert(admin: Client, alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(first_name=HOSTILE[:150])
    alice.refresh_from_db()
    home = alice.memberships.get().workspace
    type(home).objects.filter(pk=home.pk).update(name=HOSTILE)
    asked = waiting(alice, approval({HOSTILE: HOSTILE}, HOSTILE), title=HOSTILE)[0]
    draft = left_draft(alice, {"title": HOSTILE, "text": HOSTILE})
    posted = {"action": "approve_selected", "_selected_action": [str(asked.pk)], "index": "0"}
    pages = [admin.post(QUEUE, posted).content.decode()]
    admin.post(f"{QUEUE}{asked.pk}/change/", {"decision": "decline", "reason": HOSTILE})
    addresses = [
        f"{QUEUE}{asked.pk}/change/",
        f"{QUEUE}{asked.pk}/history/",
        f"/admin/threads/run/{asked.run_id}/change/",
        f"/admin/threads/run/{asked.run_id}/deeds/stop/",
        f"/admin/threads/thread/{asked.thread_id}/change/",
        f"/admin/threads/draft/{draft.pk}/deeds/artifact/",
        *(f"/admin/threads/chunk/{chunk.pk}/change/" for chunk in asked.thread.chunks.all()),
        *(
            f"/admin/artifacts/workspace/{home.pk}/deeds/{name}/"
            for name in ("governance", "end", "membership")
        ),
        f"/admin/auth/user/{alice.pk}/deeds/anonymity/",
        "/admin/",
    ]
    pages += [html(admin, address) for address in addresses]
    assert any("&lt;img src=x onerror=alert(1)&gt;" in page for page in pages)
    for page in pages:
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert not re.search(r"<[^>]*\s(style|on\w+)=", page)


@pytest.mark.parametrize("ticked", ["", "x", "\x00"])
def test_what_is_ticked_and_is_no_request_is_refused(admin: Client, ticked: str) -> None:
    form = {"action": "approve_selected", "_selected_action": ticked, "index": "0"}
    assert admin.post("/admin/threads/request/", form).status_code == 400
