"""The workspace's page: what it lists, finds and begins, and for whom."""

import re

import pytest
from django.urls import reverse

from artifacts.core.commands import ArchiveArtifact, CreateArtifact
from artifacts.handle import Handle
from artifacts.models import Artifact
from artifacts.web import workspace as page
from tests.artifacts.web.people import Team, browser, document

HOSTILE = '<img src=x onerror="alert(1)">'


def place(team: Team) -> str:
    return reverse("workspace", args=[team.workspace])


def test_a_member_sees_what_there_is_and_who_changed_it(team: Team) -> None:
    document(team.alice, team.workspace)
    html = browser(team.vera).get(place(team)).content.decode()
    assert re.search(
        r'href="/artifacts/[^"]+">Tea</a>\s*<span class="quiet"><span class="kind">document', html
    )
    assert "version 1 · alice" in html
    assert re.search(r"bob</span>\s*<span class=\"quiet\">editor", html)


def test_a_stranger_finds_nothing(team: Team) -> None:
    document(team.alice, team.workspace)
    for name in ("workspace", "members", "beginning", "invitations"):
        for htmx in (False, True):
            answer = browser(team.charlie, htmx=htmx).get(
                f"{reverse(name, args=[team.workspace])}?kind=document"
            )
            assert answer.status_code == 404
            assert b"Tea" not in answer.content
    posted = browser(team.charlie).post(
        f"{reverse('beginning', args=[team.workspace])}?kind=document", {"title": "x"}
    )
    assert posted.status_code == 404
    assert browser().get(place(team)).status_code == 302
    assert browser(htmx=True).get(place(team)).status_code == 401


def test_it_is_stored_nowhere(team: Team) -> None:
    assert "no-store" in browser(team.alice).get(place(team))["Cache-Control"]


def test_names_and_titles_stay_text(team: Team) -> None:
    team.alice.memberships.get().workspace.__class__.objects.update(name=HOSTILE)
    document(team.alice, team.workspace, title=HOSTILE)
    for path in (place(team), f"{place(team)}?q={HOSTILE}", f"{place(team)}members/"):
        html = browser(team.alice).get(path).content.decode()
        assert "<img" not in html
        assert "&lt;img src=x" in html


def test_words_are_looked_for_in_titles_and_texts(team: Team) -> None:
    document(team.alice, team.workspace, title="Tea", text="Darjeeling")
    document(team.alice, team.workspace, title="Coffee")
    html = browser(team.bob).get(f"{place(team)}?q=darjee").content.decode()
    assert ">Tea</a>" in html
    assert ">Coffee</a>" not in html
    assert "1 with “darjee”" in html
    assert "Nothing here holds this word." in browser(team.bob).get(f"{place(team)}?q=nix").content.decode()


def test_what_is_archived_stands_apart(team: Team) -> None:
    tea = document(team.alice, team.workspace, title="Tea")
    document(team.alice, team.workspace, title="Coffee")
    Handle.for_user(team.alice, team.workspace).commit(ArchiveArtifact(str(tea.pk)))
    assert b">Tea</a>" not in browser(team.bob).get(place(team)).content
    archive = browser(team.bob).get(f"{place(team)}?archived").content
    assert b">Tea</a>" in archive
    assert b">Coffee</a>" not in archive


def test_a_long_list_comes_in_pages(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MANY", 2)
    for number in range(3):
        document(team.alice, team.workspace, title=f"T{number}")
    first = browser(team.bob).get(f"{place(team)}?q=t").content.decode()
    assert re.findall(r">(T\d)</a>", first) == ["T2", "T1"]
    assert 'href="?q=t&amp;page=2"' in first
    assert b">T0</a>" in browser(team.bob).get(f"{place(team)}?q=t&page=2").content
    assert browser(team.bob).get(f"{place(team)}?page=x").status_code == 200


def test_a_script_gets_what_changes_and_no_form(team: Team) -> None:
    html = browser(team.alice, htmx=True).get(place(team)).content
    assert b"<html" not in html
    assert b"<form" not in html


@pytest.mark.parametrize(
    ("kind", "field", "data"),
    [("document", "title", {"title": "Tea", "text": ""}), ("plan", "goal", {"goal": "Tea", "tasks": []})],
)
def test_an_editor_begins_an_artifact_and_is_led_to_write_it(
    team: Team, kind: str, field: str, data: dict[str, object]
) -> None:
    path = f"{reverse('beginning', args=[team.workspace])}?kind={kind}"
    asked = browser(team.bob).get(path).content.decode().partition("<main")[2]
    assert re.findall(r'<(?:input|textarea)[^>]* name="(?!csrf|command)([^"]+)"', asked) == [field]
    answer = browser(team.bob).post(path, {field: "Tea"})
    made = Artifact.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/artifacts/{made.pk}/form/")
    assert (
        '<form class="edit"' in browser(team.bob).get(answer["Location"]).content.decode() or kind == "plan"
    )
    assert (made.kind, made.data) == (kind, data)


def test_a_form_that_is_sent_twice_begins_one_artifact(team: Team) -> None:
    path = f"{reverse('beginning', args=[team.workspace])}?kind=document"
    client = browser(team.bob)
    sent = [client.post(path, {"title": "Tea", "command_id": "once"})["Location"] for _ in range(2)]
    assert len(set(sent)) == Artifact.objects.count() == 1
    for hostile in ("\x00", "x" * 1000):
        assert client.post(path, {"title": "Tea", "command_id": hostile}).status_code in (413, 422)


def test_what_cannot_be_begun_is_asked_for_again(team: Team) -> None:
    path = f"{reverse('beginning', args=[team.workspace])}?kind=document"
    for title, status in (("", 422), ("x" * 500, 413), ("a\x00b", 422)):
        answer = browser(team.bob).post(path, {"title": title})
        assert answer.status_code == status
        assert b'class="error"' in answer.content
    assert not Artifact.objects.exists()
    assert browser(team.bob).get(path.replace("document", "nonsense")).status_code == 422


def test_a_reader_is_offered_no_beginning_and_may_not_begin(team: Team) -> None:
    path = f"{reverse('beginning', args=[team.workspace])}?kind=document"
    assert b"New document" not in browser(team.vera).get(place(team)).content
    assert browser(team.vera).get(path).status_code == 403
    assert browser(team.vera).post(path, {"title": "Tea"}).status_code == 403
    assert not Artifact.objects.exists()


def test_a_kind_that_others_made_is_listed_too(team: Team) -> None:
    Handle.for_user(team.alice, team.workspace).commit(CreateArtifact("plan", {"goal": "Picnic"}))
    Artifact.objects.update(kind="gone", data={"some": ["old", {"data": "apple"}]})
    assert b">Picnic</a>" in browser(team.bob).get(f"{place(team)}?q=apple").content
