"""Editing: saved, suggested, merged with what others did, and never lost."""

import re
from typing import Any

import pytest

from artifacts.core.commands import EditArtifact
from artifacts.core.patches import WholeData
from artifacts.handle import Handle
from artifacts.models import Artifact, Proposal
from tests.artifacts.web.people import Team, browser, document, edit

TEXT = "Green tea.\n\nBlack tea.\n\nWhite tea.\n"
HERS = TEXT.replace("Green tea", "Green tea from Uji")
HIS = TEXT.replace("White tea", "White tea from Fujian")
BOTH = HERS.replace("White tea", "White tea from Fujian")
HIS_OTHER = TEXT.replace("Green tea", "Green tea from Assam")


def save(team: Team, artifact: Artifact, **fields: Any) -> Any:
    htmx = fields.pop("htmx", False)
    return browser(team.bob, htmx=htmx).post(f"/artifacts/{artifact.pk}/revisions/", fields)


def now(artifact: Artifact) -> Artifact:
    return Artifact.objects.get(pk=artifact.pk)


def test_an_edit_without_script_makes_a_version_and_leads_back(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    answer = save(team, tea, base=1, text="Only\r\ngreen.\r\n", title="Teas", summary="Shorter")
    assert (answer.status_code, answer["Location"]) == (303, f"/artifacts/{tea.pk}/")
    tea = now(tea)
    assert (tea.version, tea.text(), tea.title, tea.changed_by) == (2, "Only\ngreen.\n", "Teas", "bob")
    assert tea.revisions.get(version=2).summary == "Shorter"


def test_an_edit_by_script_is_answered_by_the_artifact_as_it_is(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    html = save(team, tea, htmx=True, base=1, text="Only green.").content.decode()
    assert "<p>Only green.</p>" in html
    assert "Saved as version 2." in html


@pytest.mark.parametrize(
    ("base", "status"), [("", 404), ("x", 404), ("-1", 404), ("9" * 40, 422), ("0", 422)]
)
def test_a_base_that_there_is_not_is_refused_rather_than_broken(team: Team, base: str, status: int) -> None:
    tea = document(team.alice, team.workspace)
    assert save(team, tea, base=base, text="x").status_code == status


def test_changes_that_stand_apart_are_shown_together_before_they_are_saved(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    edit(team.alice, tea, HERS)
    answer = save(team, tea, base=1, text=HIS)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert f"{HIS}</textarea>".replace("\n", "\n") in page
    assert "alice saved version 2 meanwhile" in page
    assert "stand apart" in page
    assert "<ins> from Fujian</ins>" in page
    assert 'name="head" value="2"' in page
    assert f"{BOTH}</textarea>" in page
    assert now(tea).version == 2
    merged = {"merged-text": BOTH, "head": 2, "intent": "merged"}
    assert save(team, tea, base=1, text=HIS, **merged).status_code == 303
    assert now(tea).text() == BOTH


def test_changes_that_overlap_are_settled_by_hand(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    edit(team.alice, tea, HERS)
    page = save(team, tea, base=1, text=HIS_OTHER).content.decode()
    assert "Both of you changed the same places" in page
    overlaps = re.findall(r"<dd>(.*?)</dd>", page, re.DOTALL)
    assert ["Assam" in overlaps[0], "Uji" in overlaps[1]] == [True, True]
    settled = TEXT.replace("Green tea", "Green tea from Uji and Assam")
    save(team, tea, base=1, text=HIS_OTHER, **{"merged-text": settled, "head": 2, "intent": "merged"})
    assert now(tea).text() == settled


def test_a_merge_that_is_itself_too_late_is_merged_again(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    edit(team.alice, tea, HERS)
    edit(team.alice, tea, HERS.replace("Black tea", "Black tea, strong"))
    merged = {"merged-text": BOTH, "head": 2, "intent": "merged"}
    answer = save(team, tea, base=1, text=HIS, htmx=True, **merged)
    html = answer.content.decode()
    assert answer.status_code == 409
    assert 'name="head" value="3"' in html
    assert f"{BOTH.replace('Black tea', 'Black tea, strong')}</textarea>" in html


def test_a_conflict_is_told_to_a_script_without_touching_its_form(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    edit(team.alice, tea, HERS)
    html = save(team, tea, htmx=True, base=1, text=HIS).content.decode()
    assert "<form" not in html
    assert 'name="text"' not in html
    assert 'name="base"' not in html


def test_titles_that_both_changed_are_chosen_by_hand(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    data = {"title": "All about tea", "text": tea.data["text"]}
    command = EditArtifact(str(tea.pk), base=1, patch=WholeData(data))
    Handle.for_user(team.alice, team.workspace).commit(command)
    page = save(team, tea, base=1, title="Teas", text="Green.\n").content.decode()
    assert "<dd>Teas</dd>" in page
    assert "<dd>All about tea</dd>" in page
    assert "Green.\n</textarea>" in page


def test_an_edit_is_suggested_instead_of_saved(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    assert save(team, tea, base=1, text=HIS, summary="Origin", intent="suggest").status_code == 303
    proposal = Proposal.objects.get()
    assert (now(tea).version, proposal.summary, proposal.actor_name) == (1, "Origin", "bob")


def test_a_late_suggestion_is_made_on_what_there_is_now_and_keeps_what_others_did(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    edit(team.alice, tea, HERS)
    both = HIS_OTHER.replace("White tea", "White tea from Fujian")
    assert save(team, tea, base=1, text=both, intent="suggest").status_code == 303
    page = browser(team.alice).get(f"/proposals/{Proposal.objects.get().pk}/").content.decode()
    assert "It applies to version 2" in page
    assert "<del>Uji</del><ins>Assam</ins>" in page


def test_what_is_wrong_is_said_beside_the_field_and_what_was_typed_stays(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    answer = save(team, tea, base=1, title="x" * 300, text="My words")
    page = answer.content.decode()
    assert answer.status_code in (413, 422)
    assert "200" in page
    assert "My words</textarea>" in page
    huge = save(team, tea, base=1, text="y" * 1_100_000, htmx=True)
    assert huge.status_code == 413
    assert "Shorten" in huge.content.decode() or "limit" in huge.content.decode()
    assert now(tea).version == 1


def test_nothing_changed_makes_no_version(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    assert save(team, tea, base=1, text=tea.data["text"]).status_code == 303
    assert now(tea).version == 1


def test_what_is_sent_twice_is_done_once(team: Team) -> None:
    tea = document(team.alice, team.workspace, text=TEXT)
    first = {"base": 1, "text": HIS, "command_id": "lost-on-the-way"}
    for _ in range(2):
        assert save(team, tea, **first).status_code == 303
    assert now(tea).version == 2
    again = save(team, tea, **{**first, "text": HIS.replace("Black", "Dark")})
    assert again.status_code == 409
    assert "bob saved version 2 meanwhile" in again.content.decode()
    assert now(tea).version == 2


def test_every_form_has_an_id_of_its_own(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    pages = [browser(team.bob).get(f"/artifacts/{tea.pk}/form/").content.decode() for _ in range(2)]
    ids = {match for page in pages for match in re.findall(r'name="command_id" value="([\w-]{36})"', page)}
    assert len(ids) == 2
