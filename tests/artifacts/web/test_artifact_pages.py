"""An artifact's pages: who sees them, how one edits, and that nobody's work is lost."""

import re

from django.urls import reverse

from artifacts.core.commands import EditArtifact, PublishArtifact
from artifacts.core.patches import WholeText
from artifacts.handle import Handle
from artifacts.models import Artifact, Publication
from tests.artifacts.web.people import Team, browser, document


def edit(team: Team, artifact: Artifact, text: str) -> None:
    patch = WholeText(text)
    command = EditArtifact(str(artifact.pk), base=artifact.version, patch=patch)
    Handle.for_user(team.alice, team.workspace).commit(command)


def test_a_member_sees_the_artifact_with_its_version(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    page = browser(team.bob).get(f"/artifacts/{tea.pk}/").content.decode()
    assert f'id="artifact" data-id="{tea.pk}" data-version="1"' in page
    assert "<p>Green and black.</p>" in page
    assert "version 1 · alice" in page


def test_a_stranger_finds_nothing(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    for name in ("artifact", "artifact-panel", "artifact-tools", "artifact-form", "revisions"):
        for htmx in (False, True):
            assert browser(team.charlie, htmx=htmx).get(reverse(name, args=[tea.pk])).status_code == 404
    posted = browser(team.charlie).post(f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "mine"})
    assert posted.status_code == 404
    assert b"Tea" not in browser(team.charlie).get("/artifacts/").content


def test_nobody_is_led_to_sign_in_and_a_script_is_told(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    assert browser().get(f"/artifacts/{tea.pk}/").status_code == 302
    assert browser(htmx=True).get(f"/artifacts/{tea.pk}/panel/").status_code == 401


def test_private_pages_are_stored_nowhere(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    for path in ("/artifacts/", f"/artifacts/{tea.pk}/", f"/artifacts/{tea.pk}/revisions/"):
        assert "no-store" in browser(team.alice).get(path)["Cache-Control"]


def test_an_edit_without_script_makes_a_version_and_leads_back(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    answer = browser(team.bob).post(
        f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "Only\r\ngreen.\r\n"}
    )
    assert (answer.status_code, answer["Location"]) == (303, f"/artifacts/{tea.pk}/")
    tea.refresh_from_db()
    assert (tea.version, tea.text(), tea.changed_by) == (2, "Only\ngreen.\n", "bob")


def test_a_conflict_keeps_the_text_and_shows_what_changed(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    edit(team, tea, "Green and white.\n")
    answer = browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "Bob's own words"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Bob&#x27;s own words</textarea>" in page
    assert "<del>black</del> <ins>white</ins>" in page
    assert 'name="base" id="edit-base" value="2"' in page
    again = browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/", {"base": 2, "text": "Bob's own words"})
    assert again.status_code == 303


def test_a_conflict_tells_a_script_without_touching_its_form(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    edit(team, tea, "Green and white.\n")
    client = browser(team.bob, htmx=True)
    answer = client.post(f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "Bob's own words"})
    html = answer.content.decode()
    assert answer.status_code == 409
    assert "<textarea" not in html
    assert re.search(r'id="edit-base" value="2" hx-swap-oob="outerHTML"', html)


def test_a_reader_is_offered_no_form_and_may_not_use_one(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    assert b'<form class="edit"' not in browser(team.vera).get(f"/artifacts/{tea.pk}/?edit").content
    answer = browser(team.vera).post(f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "x"})
    assert answer.status_code == 403


def test_an_unreadable_base_is_not_found_rather_than_broken(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    for base in ("", "x", "-1"):
        answer = browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/", {"base": base, "text": "x"})
        assert answer.status_code == 404
    answer = browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/", {"base": "9" * 40, "text": "x"})
    assert answer.status_code == 422


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
    edit(team, tea, "Secret.\n")
    page = browser().get(f"/published/{Publication.objects.get().pk}/")
    assert page.status_code == 200
    assert b"Green and black." in page.content
    assert b"Secret" not in page.content


def test_a_plan_is_shown_task_by_task_and_edited_as_json(team: Team) -> None:
    from artifacts.core.commands import CreateArtifact

    data = {"goal": "Picnic", "tasks": [{"id": "a", "name": "Buy <tea>", "status": "doing"}]}
    applied = Handle.for_user(team.alice, team.workspace).commit(CreateArtifact("plan", data))
    path = f"/artifacts/{applied.artifact}/"
    assert b"Buy &lt;tea&gt;" in browser(team.alice).get(path).content
    wrong = browser(team.alice).post(f"{path}revisions/", {"base": 1, "text": "{"})
    assert wrong.status_code == 422
    assert b"Is not JSON" in wrong.content
