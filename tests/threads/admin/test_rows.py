"""Every other page of the two apps' admin: lists and rows to read, and nothing to write."""

import json
import uuid
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin as django_admin
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from artifacts import members
from artifacts.core.actors import agent_actor
from artifacts.core.commands import PublishArtifact
from artifacts.handle import Handle
from artifacts.invitations import invite
from artifacts.models import Artifact, Event, Invitation, Membership, Publication, Revision, Workspace
from tests.threads.admin.asking import approval, document, thread, waiting, workspace_of
from threads.models import Chunk, Draft, Focus, Request, Run, Thread
from threads.turns.claiming import claim
from threads.turns.drafting import Snapshot, store_draft
from threads.turns.following import follow
from threads.turns.saving import Turn
from threads.turns.writing import write_in_thread

pytestmark = pytest.mark.django_db(transaction=True)

SHOWN = (
    Workspace,
    Membership,
    Invitation,
    Artifact,
    Revision,
    Publication,
    Event,
    Thread,
    Run,
    Request,
    Chunk,
    Draft,
)


@pytest.fixture
def alice() -> User:
    """A superuser, in whose workspace there is something of everything."""
    user = User.objects.create_superuser("alice", first_name="Alice")
    fill(user, "Tea")
    return user


@pytest.fixture
def admin(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client


def fill(user: User, title: str) -> None:
    """A row of every model."""
    id = document(user, title, "Tee, „grün“ und 茶 🍵")
    Handle.for_user(user, workspace_of(user)).commit(PublishArtifact(id, 1))
    waiting(user, approval({"artifact": id, "version": 1}), title=title)
    write(user, id)
    invite(user, workspace_of(user), f"{title.replace(' ', '-')}@example.org", "viewer")


def write(user: User, artifact: str) -> None:
    """A thread follows an artifact, and its agent writes a draft."""
    writing = thread(user, "Writing")
    claimed = claim(str(writing.pk), str(uuid.uuid4()), "test")
    assert claimed is not None
    data = {"title": "Unfinished", "text": "Half a"}
    store_draft(Turn(claimed), Snapshot("call", "document", "Unfinished", data))
    write_in_thread(
        claimed.thread,
        agent_actor(claimed.thread),
        lambda entry, row: follow(entry, claimed.thread, artifact, claimed.run),
    )


def address(model: type[Model], page: str = "") -> str:
    return f"/admin/{model._meta.app_label}/{model._meta.model_name}/{page}"


def rows() -> dict[str, Any]:
    """All rows of both apps, as they are."""
    models = [model for app in ("artifacts", "threads") for model in apps.get_app_config(app).get_models()]
    return {model.__name__: sorted(map(str, model.objects.values_list())) for model in models}  # type: ignore[attr-defined]


def registered() -> list[type[Model]]:
    found = [
        model for model in django_admin.site._registry if model._meta.app_label in ("artifacts", "threads")
    ]
    assert set(found) == set(SHOWN), "every model of both apps but the focus, which is on the thread's page"
    return found


def test_no_row_can_be_added_changed_or_deleted(admin: Client) -> None:
    before = rows()
    for model in registered():
        row = model.objects.first()  # type: ignore[attr-defined]
        fields = {"title": "x", "name": "x", "state": "approved", "type": "x", "data": "{}", "post": "yes"}
        for page in ("add/", f"{row.pk}/delete/"):
            assert admin.get(address(model, page)).status_code == 403
            assert admin.post(address(model, page), fields).status_code == 403
        changed = admin.post(address(model, f"{row.pk}/change/"), {**fields, "_save": "Save"})
        assert changed.status_code == (422 if model is Request else 403)
        ticked = {"_selected_action": [str(row.pk)], "index": "0"}
        for action in ("delete_selected", "anything"):
            posted = {**ticked, "action": action, "post": "yes"}
            assert admin.post(address(model), posted).status_code in (200, 302)
        admin.post(
            address(model), {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "1", "_save": "Save", **fields}
        )
    assert rows() == before


def test_every_list_and_every_row_can_be_read(admin: Client) -> None:
    before = rows()
    for model in registered():
        for query in ({}, {"q": "tea"}, {"_facets": "True"}, {"o": "1.-2.3"}, {"e": "1"}):
            assert admin.get(address(model), query).status_code == 200
        for row in model.objects.all():  # type: ignore[attr-defined]
            page = admin.get(address(model, f"{row.pk}/change/"))
            assert page.status_code == 200
            assert 'name="_save"' not in page.content.decode()
            assert admin.get(address(model, f"{row.pk}/history/")).status_code == 200
    assert admin.get("/admin/").status_code == 200
    assert rows() == before


def test_lists_ask_as_little_with_many_rows_as_with_few(admin: Client, alice: User) -> None:
    few = {model: queries(admin, address(model)) for model in registered()}
    for n in range(9):
        fill(alice, f"Tea {n}")
        User.objects.create_user(f"person {n}")
    assert {model: queries(admin, address(model)) for model in registered()} == few
    assert max(few.values()) <= 12


def queries(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    return len(captured)


def test_lists_do_not_load_data(admin: Client, alice: User) -> None:
    long = "x" * 100_000
    document(alice, "Long", long)
    thread(alice, "Long", long)
    for model in (Artifact, Revision, Event, Chunk, Draft, Publication, Thread):
        assert long[:1000] not in admin.get(address(model)).content.decode()
    assert "100,0" in admin.get(address(Artifact)).content.decode()
    assert (
        long
        in admin.get(address(Artifact, f"{Artifact.objects.get(title='Long').pk}/change/")).content.decode()
    )


def test_the_log_is_found_by_workspace_type_thread_and_artifact(admin: Client, alice: User) -> None:
    bob = User.objects.create_user("bob")
    theirs = document(bob, "Of Bob")
    log = address(Event)

    def found(**query: str) -> set[int]:
        page = admin.get(log, query)
        return {row.pk for row in page.context["cl"].result_list}

    every = Event.objects.all()
    assert found() == set(every.order_by("-pk").values_list("pk", flat=True)[:50])
    assert found(workspace=workspace_of(bob)) == set(
        every.filter(workspace_id=workspace_of(bob)).values_list("pk", flat=True)
    )
    assert found(type="run_paused") == set(every.filter(type="run_paused").values_list("pk", flat=True))
    assert found(q=theirs) == set(every.filter(artifact=theirs).values_list("pk", flat=True))
    talk = Thread.objects.filter(title="Writing").first()
    assert talk is not None
    assert found(q=f" {talk.pk} ") == set(every.filter(thread=talk.pk).values_list("pk", flat=True))
    assert found(q="tea") == set()
    offered = admin.get(log).content.decode()
    assert all(f"?type={type}" in offered for type in set(every.values_list("type", flat=True)))


def test_a_page_links_to_what_belongs_to_its_row(admin: Client, alice: User) -> None:
    talk = Thread.objects.get(title="Tea")
    page = admin.get(address(Thread, f"{talk.pk}/change/")).content.decode()
    for link in (
        f"/threads/{talk.pk}/",
        f"/admin/threads/run/?thread={talk.pk}",
        f"/admin/artifacts/event/?q={talk.pk}",
    ):
        assert f'<a href="{link}">' in page
    workspace = admin.get(address(Workspace, f"{talk.workspace_id}/change/")).content.decode()
    assert f'<a href="/admin/artifacts/event/?workspace={talk.workspace_id}">Log</a>' in workspace
    linked = admin.get(f"/admin/threads/request/?thread={talk.pk}&state=all")
    assert [row.thread_id for row in linked.context["cl"].result_list] == [talk.pk]
    following = Focus.objects.get()
    shown = admin.get(address(Thread, f"{following.thread_id}/change/")).content.decode()
    assert following.artifact.title in shown


def test_staff_see_what_they_may_view_and_no_more(alice: User) -> None:
    bob = User.objects.create_user("bob", is_staff=True)
    bob.user_permissions.set(Permission.objects.filter(codename="view_thread"))
    client = Client()
    client.force_login(bob)
    for model in registered():
        row = model.objects.first()  # type: ignore[attr-defined]
        for page in ("", f"{row.pk}/change/"):
            assert client.get(address(model, page)).status_code == (200 if model is Thread else 403)
    talk = Thread.objects.get(title="Tea")
    page = client.get(address(Thread, f"{talk.pk}/change/")).content.decode()
    assert f"/threads/{talk.pk}/" not in page.replace(f"/threads/thread/{talk.pk}/", "")
    assert "Log</a>" not in page


def test_drafts_are_listed_with_their_size_and_state(admin: Client) -> None:
    page = admin.get(address(Draft)).content.decode()
    size = len(json.dumps({"title": "Unfinished", "text": "Half a"}))
    for words in ("Unfinished", "document", f"{size} characters", "Writing", "Alice’s workspace"):
        assert words in page
    left = Draft.objects.get()
    assert "Half a" in admin.get(address(Draft, f"{left.pk}/change/")).content.decode()


def test_beginnings_are_readable_on_both_databases(admin: Client) -> None:
    Event.objects.filter(type="artifact_created").update(data={"title": "grün 茶 🍵"})
    assert "grün 茶 🍵" in admin.get(address(Event), {"type": "artifact_created"}).content.decode()


def test_who_is_a_member_somewhere_cannot_be_deleted_in_the_admin(admin: Client, alice: User) -> None:
    """Memberships are rows of the log: Django then asks to leave out the account, and to deactivate it instead."""
    bob = User.objects.create_user("bob")
    members.add_member(alice, workspace_of(alice), bob, "editor")
    page = admin.post(f"/admin/auth/user/{bob.pk}/delete/", {"post": "yes"})
    assert page.status_code == 403
    assert User.objects.filter(pk=bob.pk).exists()
    assert Membership.objects.filter(user=bob).count() == 2
