"""Drafts that a run left behind: read, published as an artifact or as a proposal, or discarded; once."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from artifacts.core.commands import EditArtifact
from artifacts.core.patches import WholeText
from artifacts.core.rejections import AlreadyDecided, Forbidden, Invalid, VersionConflict
from artifacts.handle import Handle
from artifacts.models import Artifact, Event, Proposal
from artifacts.proposals import standing
from tests.threads.admin.asking import document, left_draft, signed_in, staff, thread, workspace_of
from threads.core.rejections import StillWriting
from threads.live import hub
from threads.models import Draft
from threads.turns import discard_draft, propose_draft, publish_draft
from threads.turns.claiming import claim
from threads.turns.drafting import Snapshot, store_draft
from threads.turns.saving import Turn

pytestmark = pytest.mark.django_db(transaction=True)

DATA = {"title": "Tea", "text": "It is **steamed**."}


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def sue() -> User:
    """Settles drafts, and is a member nowhere but at home."""
    return staff("sue", "settle_drafts", "view_draft")


@pytest.fixture
def admin(sue: User) -> Client:
    return signed_in(sue)


def row(draft: Draft) -> str:
    return f"/admin/threads/draft/{draft.pk}/"


def do(client: Client, draft: Draft, deed: str, **fields: str) -> HttpResponse:
    return client.post(f"{row(draft)}deeds/{deed}/", fields)  # type: ignore[return-value]


def log() -> list[tuple[int, str]]:
    return list(Event.objects.order_by("id").values_list("seq", "type"))


def test_a_draft_is_read_as_it_will_look(admin: Client, alice: User) -> None:
    draft = left_draft(alice, DATA)
    page = admin.get(f"{row(draft)}change/").content.decode()
    assert "It is <strong>steamed</strong>." in page
    assert "data-fresh" not in page
    for deed in ("Publish as an artifact", "Discard"):
        assert f">{deed}</a>" in page
    assert "Publish as a proposal" not in page


def test_published_as_an_artifact(admin: Client, alice: User) -> None:
    draft = left_draft(alice, DATA)
    assert do(admin, draft, "artifact").status_code == 302
    made = Artifact.objects.get(title="Tea")
    assert (made.data, str(made.workspace_id), made.changed_by) == (DATA, workspace_of(alice), "sue")
    draft.refresh_from_db()
    assert (draft.state, draft.decided_by, draft.artifact_id) == ("published", "sue", made.pk)
    settled = Event.objects.get(type="draft_settled")
    assert settled.data["artifact"] == str(made.pk)
    shown = signed_in(alice).get(f"/threads/{draft.thread_id}/").content.decode()
    assert "sue made a document of the draft “Tea”" in shown
    history = admin.get(f"{row(draft)}history/").content.decode()
    assert "published as an artifact (<a" in history


def test_published_as_a_proposal_on_what_it_was_for(admin: Client, alice: User) -> None:
    id = document(alice, "Tea", "It is cold.")
    draft = left_draft(alice, DATA, artifact=id)
    page = admin.get(f"{row(draft)}change/").content.decode()
    assert "<del>cold</del><ins>**steamed**</ins>" in page
    assert do(admin, draft, "proposal", base="1").status_code == 302
    proposal = Proposal.objects.get()
    assert (proposal.state, proposal.actor_name, str(proposal.artifact_id)) == ("open", "sue", id)
    assert standing(proposal).data == DATA
    assert Artifact.objects.get(pk=id).version == 1
    draft.refresh_from_db()
    assert draft.state == "published"


def test_a_proposal_names_the_version_that_was_shown(sue: User, alice: User) -> None:
    id = document(alice, "Tea", "It is cold.")
    draft = left_draft(alice, DATA, artifact=id)
    Handle.for_user(alice, workspace_of(alice)).commit(EditArtifact(id, 1, WholeText("It is hot.")))
    before = log()
    with pytest.raises(VersionConflict):
        propose_draft(sue, draft.pk, 1)
    draft.refresh_from_db()
    assert (draft.state, log()) == ("left", before)
    propose_draft(sue, draft.pk, 2)


def test_a_draft_for_nothing_is_no_proposal(sue: User, alice: User) -> None:
    draft = left_draft(alice, DATA)
    with pytest.raises(Invalid):
        propose_draft(sue, draft.pk, 1)


def test_discarded_it_stays_to_be_read(admin: Client, alice: User) -> None:
    draft = left_draft(alice, DATA)
    assert do(admin, draft, "disposal").status_code == 302
    page = admin.get(f"{row(draft)}change/").content.decode()
    assert "It is <strong>steamed</strong>." in page
    assert ">Discard</a>" not in page
    assert not Artifact.objects.filter(title="Tea").exists()


def test_a_draft_is_settled_once(admin: Client, sue: User, alice: User) -> None:
    draft = left_draft(alice, DATA)
    discard_draft(sue, draft.pk)
    before = log()
    for settle in (publish_draft, discard_draft):
        with pytest.raises(AlreadyDecided, match="discarded by sue"):
            settle(sue, draft.pk)
    answered = do(admin, draft, "artifact")
    assert answered.status_code == 409
    assert "already discarded by sue" in answered.content.decode()
    assert log() == before


def test_what_is_no_artifact_yet_is_refused_and_stays(admin: Client, alice: User) -> None:
    draft = left_draft(alice, {"text": "no title", "odd": 1})
    before = log()
    answered = do(admin, draft, "artifact")
    assert answered.status_code == 422
    assert "Field required." in answered.content.decode()
    draft.refresh_from_db()
    assert (draft.state, log()) == ("left", before)


def test_it_needs_the_permission(alice: User) -> None:
    draft = left_draft(alice, DATA)
    for user in (alice, staff("eve", "view_draft")):
        with pytest.raises(Forbidden):
            publish_draft(user, draft.pk)
        with pytest.raises(Forbidden):
            discard_draft(user, draft.pk)


def test_what_is_being_written_moves_and_is_settled_by_nobody(admin: Client, sue: User, alice: User) -> None:
    made = thread(alice, "Writing", "Write it")
    claimed = claim(str(made.pk), str(uuid.uuid4()), "test")
    assert claimed is not None
    store_draft(Turn(claimed), Snapshot("call:1", "document", "Tea", {"title": "Tea", "text": "It is"}))
    draft = Draft.objects.get()
    with pytest.raises(StillWriting):
        discard_draft(sue, draft.pk)
    page = admin.get(f"{row(draft)}change/").content.decode()
    assert '<div id="draft-preview" data-fresh="2">' in page
    assert "<p>It is</p>" in page
    assert ">Discard</a>" not in page
    with hub.running(str(made.pk)) as live:
        live.show_draft("abc-draft-call-1", {"kind": "document", "title": "Tea", "text": "It is *moving*"})
        assert "It is <em>moving</em>" in admin.get(f"{row(draft)}change/").content.decode()


def test_what_is_in_a_draft_is_shown_inert(admin: Client, alice: User) -> None:
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    for kind in ("document", "nothing", "plan"):
        draft = left_draft(alice, {"title": hostile, "text": hostile, "goal": hostile}, kind)
        for page in ("change/", "deeds/artifact/", "deeds/disposal/"):
            html = admin.get(f"{row(draft)}{page}").content.decode()
            assert "<script>alert" not in html
            assert "<img src=x" not in html
