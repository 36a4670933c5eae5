"""The versions of an artifact: listed, compared in words, brought back."""

from typing import Any

import pytest

from artifacts.models import Artifact
from artifacts.web import history
from artifacts.web.differences import AROUND, LONGEST, differences
from tests.artifacts.web.people import Team, browser, document, edit, plan


def test_the_list_says_who_made_each_version_and_when(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    browser(team.bob).post(
        f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "Two", "summary": "Shorter"}
    )
    page = browser(team.vera).get(f"/artifacts/{tea.pk}/revisions/").content.decode()
    assert page.index("Version 2</a>") < page.index("Version 1</a>")
    assert "bob" in page
    assert "Shorter" in page
    assert 'name="from" value="1" aria-label="From version 1" checked' in page
    assert 'name="to" value="2" aria-label="To version 2" checked' in page


def test_a_long_history_comes_by_pages(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MANY", 3)
    tea = document(team.alice, team.workspace)
    for number in range(5):
        edit(team.alice, tea, f"Text {number}")
    path = f"/artifacts/{tea.pk}/revisions/"
    first = browser(team.alice).get(path).content.decode()
    assert "Version 4</a>" in first
    assert "Version 3</a>" not in first
    rest = browser(team.alice).get(f"{path}?before=4").content.decode()
    assert "Version 1</a>" in rest
    assert "Earlier versions" not in rest
    assert browser(team.alice).get(f"{path}?before=x").status_code == 404


def test_any_two_versions_are_compared_in_words_the_older_first(team: Team) -> None:
    tea = document(team.alice, team.workspace, text="Green and black tea.\n")
    edit(team.bob, tea, "Green and white tea.\n")
    edit(team.bob, tea, "Green and white tea, hot.\n")
    path = f"/artifacts/{tea.pk}/comparison/"
    for query in ("?from=1&to=3", "?from=3&to=1"):
        page = browser(team.vera).get(path + query).content.decode()
        assert "From version 1 to 3" in page
        assert "<del>black</del><ins>white</ins>" in page
        assert "<ins>, hot</ins>" in page
    assert "Nothing differs" in browser(team.vera).get(f"{path}?from=2&to=2").content.decode()
    for query in ("?from=1&to=4", "?from=x&to=1", "?from=1", f"?from=1&to={'9' * 30}"):
        assert browser(team.vera).get(path + query).status_code == 404


def test_one_version_is_shown_as_it_was(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    edit(team.alice, tea, "Newer.\n")
    page = browser(team.bob, htmx=True).get(f"/artifacts/{tea.pk}/revisions/1/").content.decode()
    assert "<p>Green and black.</p>" in page
    assert "Restore this version" in page
    newest = browser(team.bob, htmx=True).get(f"/artifacts/{tea.pk}/revisions/2/").content.decode()
    assert "Restore" not in newest
    assert browser(team.bob).get(f"/artifacts/{tea.pk}/revisions/3/").status_code == 404


def test_restoring_makes_a_new_version(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    edit(team.alice, tea, "Newer.\n")
    assert browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/1/restoration/").status_code == 303
    tea = Artifact.objects.get(pk=tea.pk)
    assert (tea.version, tea.text(), tea.changed_by) == (3, "Green and black.\n", "bob")
    said = browser(team.bob, htmx=True).post(f"/artifacts/{tea.pk}/revisions/2/restoration/").content.decode()
    assert "Version 2 is back." in said
    assert browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/9/restoration/").status_code in (404, 422)


def test_a_plan_tells_in_its_own_words_what_changed(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    browser(team.bob).post(f"/artifacts/{picnic.pk}/steps/", {"base": 1, "step": "done", "task": "a"})
    page = browser(team.vera).get(f"/artifacts/{picnic.pk}/comparison/?from=1&to=2").content.decode()
    assert "set the task “Bake &lt;bread&gt; &amp; cake” to done" in page


def both(before: str, after: str) -> tuple[str, str]:
    """The texts that a difference shows, where nothing is left out."""
    stretches = differences("document", {"title": "", "text": before}, {"title": "", "text": after})[
        0
    ].stretches
    sides = ("same", "removed"), ("same", "added")
    old, new = ("".join(stretch.text for stretch in stretches if stretch.kind in side) for side in sides)
    return old, new


@pytest.mark.parametrize(("before", "after"), [("", "a b"), ("a b", ""), ("a b c", "a x c"), ("<i>", "</i>")])
def test_a_difference_shows_both_texts(before: str, after: str) -> None:
    assert both(before, after) == (before, after)


def test_what_stayed_is_left_out_and_what_is_long_is_cut() -> None:
    same = "word " * 1000
    stretches = differences("document", {"text": f"{same}old {same}"}, {"text": f"{same}new {same}"})[
        0
    ].stretches
    assert [stretch.kind for stretch in stretches] == ["gap", "same", "removed", "added", "same", "gap"]
    assert all(len(stretch.text) <= AROUND for stretch in stretches)
    cut = differences("document", {"text": ""}, {"text": "y" * (LONGEST + 5)})[0].stretches
    assert [len(cut[0].text), cut[1].text] == [LONGEST, "5 more characters"]


@pytest.mark.parametrize("data", [{}, {"goal": 3}, {"goal": "a", "tasks": "none"}])
def test_data_that_is_no_longer_valid_is_compared_field_by_field(data: dict[str, Any]) -> None:
    found = differences("plan", data, {"goal": "Picnic", "tasks": []})
    assert [difference.label for difference in found if difference.stretches]
