"""An artifact's page: who sees it, what it shows, and what it offers to whom."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from artifacts.core.commands import CreateArtifact, PublishArtifact
from artifacts.handle import Handle
from artifacts.models import Artifact, Publication, Workspace
from tests.artifacts.web.people import Team, browser, document, edit, plan, propose

POSTS = {
    "revisions": {"base": 1, "text": "mine"},
    "artifact-archive": {"state": "archived"},
    "publications": {"version": 1},
}
PAGES = (
    "artifact",
    "artifact-form",
    "artifact-panel",
    "artifact-tools",
    "revisions",
    "proposals",
    "publications",
)


def read(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def left_behind(artifact: Artifact, data: dict[str, Any], kind: str = "document") -> None:
    """The row as a kind that has changed since leaves it behind."""
    Artifact.objects.filter(pk=artifact.pk).update(data=data, kind=kind)


def test_a_member_sees_the_artifact_with_its_version(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    page = read(browser(team.bob), f"/artifacts/{tea.pk}/")
    assert f'id="artifact" tabindex="-1" data-id="{tea.pk}" data-version="1"' in page
    assert "<p>Green and black.</p>" in page
    assert "version 1 · alice" in page


def test_a_stranger_finds_nothing_and_changes_nothing(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    proposal = propose(team.bob, tea, "Other.\n")
    names = [reverse(name, args=[tea.pk]) for name in PAGES]
    names += [reverse("revision", args=[tea.pk, 1]), reverse("comparison", args=[tea.pk]) + "?from=1&to=1"]
    names += [
        reverse("artifact-file", args=[tea.pk, "md"]),
        reverse("revision-file", args=[tea.pk, 1, "json"]),
    ]
    names += [
        reverse(name, args=[proposal]) for name in ("proposal", "proposal-standing", "proposal-changes")
    ]
    for htmx in (False, True):
        for path in names:
            assert browser(team.charlie, htmx=htmx).get(path).status_code == 404, path
    before = Workspace.objects.get(pk=team.workspace).head
    posts = {reverse(name, args=[tea.pk]): data for name, data in POSTS.items()}
    posts[reverse("restoration", args=[tea.pk, 1])] = {}
    posts[reverse("proposal-resolution", args=[proposal])] = {"decision": "accept", "base": 1}
    posts[reverse("proposal-withdrawal", args=[proposal])] = {}
    for path, data in posts.items():
        assert browser(team.charlie).post(path, data).status_code == 404, path
    assert Workspace.objects.get(pk=team.workspace).head == before


def test_a_reader_is_offered_nothing_that_changes_anything_and_may_not_do_it(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    proposal = propose(team.bob, tea, "Other.\n")
    before = Workspace.objects.get(pk=team.workspace).head
    for path in (f"/artifacts/{tea.pk}/", f"/artifacts/{tea.pk}/revisions/1/", f"/proposals/{proposal}/"):
        page = read(browser(team.vera), path)
        assert 'form class="edit"' not in page
        assert "Restore" not in page
        assert "Archive<" not in page
        assert "Accept" not in page
    assert browser(team.vera).get(f"/artifacts/{tea.pk}/form/").status_code == 403
    for name, data in POSTS.items():
        assert browser(team.vera).post(reverse(name, args=[tea.pk]), data).status_code == 403, name
    assert (
        browser(team.vera).post(f"/proposals/{proposal}/resolution/", {"decision": "reject"}).status_code
        == 403
    )
    assert Workspace.objects.get(pk=team.workspace).head == before


def test_nobody_is_led_to_sign_in_and_a_script_is_told(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    assert browser().get(f"/artifacts/{tea.pk}/").status_code == 302
    assert browser(htmx=True).get(f"/artifacts/{tea.pk}/panel/").status_code == 401


def test_private_pages_are_stored_nowhere(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    for name in PAGES:
        assert "no-store" in browser(team.alice).get(reverse(name, args=[tea.pk]))["Cache-Control"]


def test_what_opens_is_a_fragment_to_a_script_and_the_page_to_anyone_else(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    for name in ("artifact-form", "revisions", "proposals", "publications"):
        path = reverse(name, args=[tea.pk])
        fragment, page = read(browser(team.bob, htmx=True), path), read(browser(team.bob), path)
        assert fragment.lstrip().startswith('<section class="opened')
        assert "<title>Tea · artifactr</title>" in page
        assert 'id="edit-slot"><' in page.replace("\n", "")


def test_a_long_document_is_cut_with_a_way_to_all_of_it(team: Team) -> None:
    tea = document(team.alice, team.workspace, text="a line of text\n\n" * 5000)
    page = browser(team.alice).get(f"/artifacts/{tea.pk}/").content
    assert b"?whole" in page
    assert len(page) < 150_000
    whole = browser(team.alice).get(f"/artifacts/{tea.pk}/?whole").content
    assert whole.count(b"a line of text") >= 5000


def test_a_published_version_is_for_everybody_and_stays_as_it_was(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    Handle.for_user(team.alice, team.workspace).commit(PublishArtifact(str(tea.pk), 1))
    edit(team.alice, tea, "Secret.\n")
    page = browser().get(f"/published/{Publication.objects.get().pk}/")
    assert page.status_code == 200
    assert b"Green and black." in page.content
    assert b"Secret" not in page.content


def test_an_editor_publishes_a_version_and_takes_it_back(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    assert "Make public" in read(browser(team.bob), f"/artifacts/{tea.pk}/revisions/1/")
    assert browser(team.bob).post(f"/artifacts/{tea.pk}/publications/", {"version": 1}).status_code == 303
    public = Publication.objects.get()
    listed = read(browser(team.alice), f"/artifacts/{tea.pk}/publications/")
    assert f"/published/{public.pk}/" in listed
    assert "bob" in listed
    assert browser(team.charlie).post(f"/published/{public.pk}/withdrawal/").status_code == 404
    assert browser(team.vera).post(f"/published/{public.pk}/withdrawal/").status_code == 403
    assert browser(team.alice).post(f"/published/{public.pk}/withdrawal/").status_code == 303
    assert browser().get(f"/published/{public.pk}/").status_code == 404
    assert browser(team.alice).post(f"/published/{public.pk}/withdrawal/").status_code == 404


def test_archiving_is_shown_and_undone(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    path = f"/artifacts/{tea.pk}/"
    assert browser(team.bob).post(f"{path}archive/", {"state": "archived"}).status_code == 303
    page = read(browser(team.alice), path)
    assert 'data-state="archived"' in page
    assert "Bring back" in page
    assert ">Edit<" not in page
    refused = browser(team.alice).post(f"{path}revisions/", {"base": 1, "text": "Late words"})
    assert refused.status_code == 409
    assert "Late words</textarea>" in refused.content.decode()
    assert browser(team.alice).post(f"{path}archive/", {"state": "active"}).status_code == 303
    assert ">Edit<" in read(browser(team.alice), path)


def test_what_was_done_is_answered_to_a_script_by_the_artifact_and_nothing_open(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    answer = browser(team.bob, htmx=True).post(f"/artifacts/{tea.pk}/archive/", {"state": "archived"})
    html = answer.content.decode()
    assert (answer.status_code, answer["HX-Reswap"]) == (200, "none")
    assert json.loads(answer["HX-Trigger-After-Swap"]) == {
        "artifact:done": {"kept": f"/artifacts/{tea.pk}/archive/"}
    }
    assert f"outerHTML:#artifact[data-id=&#x27;{tea.pk}&#x27;]" in html
    assert '<div id="edit-slot" hx-swap-oob="innerHTML"></div>' in html
    assert "csrf" not in html


@pytest.mark.parametrize("limit", ["", "?whole"])
def test_data_that_its_kind_no_longer_accepts_is_shown_as_data_and_says_why(team: Team, limit: str) -> None:
    tea = document(team.alice, team.workspace)
    left_behind(tea, {"title": "Tea", "text": "Old <b>words</b>", "mood": "calm"})
    page = read(browser(team.bob), f"/artifacts/{tea.pk}/{limit}")
    assert "mood: Extra inputs are not permitted" in page
    assert "&quot;mood&quot;: &quot;calm&quot;" in page
    assert "&lt;b&gt;words" in page
    assert "no longer a field: mood" in read(browser(team.bob), f"/artifacts/{tea.pk}/form/")
    assert (
        browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "New"}).status_code
        == 303
    )
    assert "Shown as data" not in read(browser(team.bob), f"/artifacts/{tea.pk}/{limit}")
    assert browser(team.bob).get("/artifacts/").status_code == 200


def test_data_of_an_unknown_kind_is_shown_and_cannot_be_edited(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    left_behind(tea, {"title": "Tea", "text": "Old"}, "sonnet")
    page = read(browser(team.bob), f"/artifacts/{tea.pk}/")
    assert "There is no kind" in page
    assert ">Edit<" not in page
    for name in ("revisions", "proposals", "publications"):
        assert browser(team.bob).get(reverse(name, args=[tea.pk])).status_code == 200
    assert browser(team.bob).get(f"/artifacts/{tea.pk}/comparison/?from=1&to=1").status_code == 200
    assert browser(team.bob).get(f"/artifacts/{tea.pk}/revisions/1/").status_code == 200
    assert browser(team.bob).get(f"/artifacts/{tea.pk}/form/").status_code == 422
    assert "## Text" in read(browser(team.bob), f"/artifacts/{tea.pk}/file.md")


def test_an_artifact_is_downloaded_as_markdown_and_as_json(team: Team) -> None:
    tea = document(team.alice, team.workspace, title="Tea & <cups>")
    picnic = plan(team.alice, team.workspace)
    markdown = browser(team.vera).get(f"/artifacts/{tea.pk}/file.md")
    assert markdown.content.decode() == "# Tea & <cups>\n\nGreen and black.\n"
    assert markdown["Content-Disposition"] == 'attachment; filename="tea-cups.md"'
    data = browser(team.vera).get(f"/artifacts/{tea.pk}/file.json").json()
    assert data == {"title": "Tea & <cups>", "text": "Green and black.\n"}
    text = read(browser(team.vera), f"/artifacts/{picnic.pk}/file.md")
    assert text == "# Picnic\n\n- [ ] Bake <bread> & cake (doing)\n- [x] Invite: by letter\n"
    edit(team.alice, tea, "Newer.\n")
    assert "Green" in read(browser(team.vera), f"/artifacts/{tea.pk}/revisions/1/file.md")
    assert browser(team.vera).get(f"/artifacts/{tea.pk}/file.exe").status_code == 404


def test_a_kind_without_a_template_is_drawn_by_its_fields(team: Team) -> None:
    from artifacts.core.kinds import Kind
    from artifacts.core.kinds import base as register

    class Trip(Kind):
        to: str
        days: int = 3
        booked: bool = False
        stops: list[dict[str, Any]] = []

        def title(self) -> str:
            return self.to

    data = {"to": "Assam", "stops": [{"town": "<Guwahati>", "nights": 2}]}
    try:
        trip = Handle.for_user(team.alice, team.workspace).commit(CreateArtifact("trip", data)).artifact
        page = read(browser(team.bob), f"/artifacts/{trip}/")
        assert "<dt>Town</dt><dd><p>&lt;Guwahati&gt;</p></dd>" in page
        assert "<dt>Booked</dt><dd><p>no</p></dd>" in page
        assert 'name="stops"' in read(browser(team.bob), f"/artifacts/{trip}/form/")
        assert "## Days\n\n" in read(browser(team.bob), f"/artifacts/{trip}/file.md")
    finally:
        del register._registered["trip"]
