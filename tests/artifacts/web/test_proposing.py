"""Proposals: what they would change now is seen before anyone clicks, and deciding on them."""

from artifacts.models import Artifact, Proposal
from tests.artifacts.web.people import Team, browser, document, edit, plan, propose

TEXT = "Green tea.\n\nBlack tea.\n\nWhite tea.\n"
HIS = TEXT.replace("White tea", "White tea from Fujian")
ELSEWHERE = TEXT.replace("Green tea", "Green tea from Uji")
SAME_PLACE = TEXT.replace("White tea", "White tea from Darjeeling")


def offered(team: Team) -> tuple[Artifact, str]:
    tea = document(team.alice, team.workspace, text=TEXT)
    return tea, f"/proposals/{propose(team.bob, tea, HIS, 'Say where from')}/"


def read(team: Team, path: str) -> str:
    return browser(team.alice).get(path).content.decode()


def test_a_proposal_waits_beside_its_artifact_and_shows_what_it_would_change(team: Team) -> None:
    tea, path = offered(team)
    page = browser(team.vera).get(f"/artifacts/{tea.pk}/").content.decode()
    assert f'href="{path}"' in page
    assert "bob suggests: Say where from" in page
    shown = read(team, path)
    assert "<ins> from Fujian</ins>" in shown
    assert "waits for a decision" in shown
    assert 'name="base" value="1" form="decision"' in shown


def test_accepting_applies_it_to_what_there_is_now(team: Team) -> None:
    tea, path = offered(team)
    edit(team.alice, tea, ELSEWHERE)
    assert "It applies to version 2" in read(team, path)
    assert (
        browser(team.alice).post(f"{path}resolution/", {"decision": "accept", "base": 2}).status_code == 303
    )
    tea = Artifact.objects.get(pk=tea.pk)
    assert (tea.version, tea.text()) == (3, ELSEWHERE.replace("White tea", "White tea from Fujian"))
    assert "accepted by alice" in read(team, path)
    assert "accepted" in read(team, f"/artifacts/{tea.pk}/proposals/")
    assert path not in read(team, f"/artifacts/{tea.pk}/")


def test_what_is_accepted_is_what_was_shown(team: Team) -> None:
    tea, path = offered(team)
    edit(team.alice, tea, ELSEWHERE)
    answer = browser(team.alice).post(f"{path}resolution/", {"decision": "accept", "base": 1})
    assert answer.status_code == 409
    assert "version 2" in answer.content.decode()
    assert Artifact.objects.get(pk=tea.pk).version == 2


def test_out_of_date_is_said_before_anyone_clicks(team: Team) -> None:
    tea, path = offered(team)
    edit(team.alice, tea, SAME_PLACE)
    assert "out of date" in read(team, f"/artifacts/{tea.pk}/")
    assert "Out of date." in read(team, path)
    standing = browser(team.alice, htmx=True).get(f"{path}standing/").content.decode()
    assert "Out of date." in standing
    assert "<ins> from Fujian</ins>" in standing
    assert "csrf" not in standing


def test_a_proposal_that_is_out_of_date_is_settled_by_hand(team: Team) -> None:
    tea, path = offered(team)
    edit(team.alice, tea, SAME_PLACE)
    form = read(team, f"{path}changes/")
    assert "no longer applies by itself" in form
    assert "<dd>White tea from Fujian.\n</dd>" in form
    settled = TEXT.replace("White tea", "White tea from Fujian and Darjeeling")
    posted = {"base": 2, "head": 2, "intent": "merged", "merged-text": settled}
    assert browser(team.alice).post(f"{path}changes/", posted).status_code == 303
    assert Artifact.objects.get(pk=tea.pk).text() == settled
    assert Proposal.objects.get().state == "accepted"


def test_a_proposal_is_accepted_with_changes_on_top(team: Team) -> None:
    tea, path = offered(team)
    form = read(team, f"{path}changes/")
    assert f"{HIS}</textarea>" in form
    mine = HIS.replace("Black", "Dark")
    assert browser(team.alice).post(f"{path}changes/", {"base": 1, "text": mine}).status_code == 303
    assert Artifact.objects.get(pk=tea.pk).text() == mine
    told = browser(team.bob).get(path).content.decode()
    assert "accepted by alice" in told
    assert "<del>Black</del> <ins>Dark</ins>" in told


def test_changes_on_top_that_come_too_late_are_merged(team: Team) -> None:
    tea, path = offered(team)
    edit(team.rob, tea, ELSEWHERE)
    mine = HIS.replace("Black", "Dark")
    answer = browser(team.alice).post(f"{path}changes/", {"base": 1, "text": mine})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert f"{mine.replace('Green tea', 'Green tea from Uji')}</textarea>" in page
    assert Proposal.objects.get().state == "open"


def test_rejecting_gives_a_reason_that_its_author_reads(team: Team) -> None:
    _, path = offered(team)
    posted = {"decision": "reject", "reason": "We do not know that."}
    assert browser(team.alice).post(f"{path}resolution/", posted).status_code == 303
    page = browser(team.bob).get(path).content.decode()
    assert "rejected by alice" in page
    assert "We do not know that." in page


def test_nobody_decides_on_their_own_and_they_may_withdraw_it(team: Team) -> None:
    tea, path = offered(team)
    page = browser(team.bob).get(path).content.decode()
    assert "Accept" not in page
    assert "Withdraw" in page
    assert browser(team.bob).post(f"{path}resolution/", {"decision": "accept", "base": 1}).status_code == 403
    assert browser(team.alice).post(f"{path}withdrawal/").status_code == 403
    assert browser(team.bob).post(f"{path}withdrawal/").status_code == 303
    assert Proposal.objects.get().state == "withdrawn"
    assert path in read(team, f"/artifacts/{tea.pk}/proposals/")


def test_the_second_decision_is_told_of_the_first_and_its_reason_is_kept(team: Team) -> None:
    _, path = offered(team)
    browser(team.rob).post(f"{path}resolution/", {"decision": "accept", "base": 1})
    answer = browser(team.alice).post(f"{path}resolution/", {"decision": "reject", "reason": "Too long"})
    assert answer.status_code == 409
    assert "rob" in answer.content.decode()
    told = browser(team.alice, htmx=True).post(f"{path}resolution/", {"decision": "reject", "reason": "x"})
    assert (told.status_code, b"rob" in told.content) == (409, True)


def test_a_change_of_a_plan_is_told_in_its_words(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    tasks = [{**picnic.data["tasks"][0], "status": "done"}, picnic.data["tasks"][1]]
    import json

    posted = {"base": 1, "goal": "Picnic", "tasks": json.dumps(tasks), "intent": "suggest"}
    assert browser(team.bob).post(f"/artifacts/{picnic.pk}/revisions/", posted).status_code == 303
    page = read(team, f"/proposals/{Proposal.objects.get().pk}/")
    assert "to done" in page
