"""Making a workspace, and what one is called."""

import uuid

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from artifacts.models import Event, Workspace
from tests.artifacts.web.people import Team, browser


def path(team: Team) -> str:
    return reverse("workspace-name", args=[team.workspace])


def may_found(team: Team) -> None:
    team.bob.user_permissions.add(Permission.objects.get(codename="add_workspace"))


def test_who_may_makes_a_workspace_once_and_owns_it(team: Team) -> None:
    may_found(team)
    bob, form = browser(team.bob), {"id": str(uuid.uuid4()), "name": " Tea house "}
    assert "New workspace" in bob.get(f"/workspaces/{team.workspace}/").content.decode()
    answers = [bob.post("/workspaces/", form) for _ in range(2)]
    made = Workspace.objects.get(name="Tea house")
    assert [answer["Location"] for answer in answers] == [reverse("members", args=[made.pk])] * 2
    assert made.memberships.get().user == team.bob
    assert Event.objects.filter(workspace=made).count() == 2


def test_who_may_not_is_told_whom_to_ask_and_makes_none(team: Team) -> None:
    count, bob = Workspace.objects.count(), browser(team.bob)
    assert "New workspace" not in bob.get(f"/workspaces/{team.workspace}/").content.decode()
    for answer in (bob.get("/workspaces/"), bob.post("/workspaces/", {"name": "Mine"})):
        assert answer.status_code == 403
        assert "Ask them for one." in answer.content.decode()
    assert Workspace.objects.count() == count


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\x00b"])
def test_no_workspace_is_called_that(team: Team, name: str) -> None:
    may_found(team)
    before = set(Workspace.objects.values_list("name", flat=True))
    for client, address in ((browser(team.bob), "/workspaces/"), (browser(team.alice), path(team))):
        answer = client.post(address, {"name": name})
        assert answer.status_code == 422
        assert 'class="error"' in answer.content.decode()
    assert set(Workspace.objects.values_list("name", flat=True)) == before


def test_the_id_of_a_workspace_of_others_makes_none_and_shows_nothing(team: Team) -> None:
    may_found(team)
    other = Workspace.objects.get(memberships__user=team.charlie)
    assert browser(team.bob).post("/workspaces/", {"id": str(other.pk), "name": "Mine"}).status_code == 404
    other.refresh_from_db()
    assert other.name != "Mine"


def test_an_owner_renames_it_and_nobody_else_does(team: Team) -> None:
    for user, status in ((team.bob, 403), (team.vera, 403), (team.charlie, 404), (team.alice, 303)):
        assert browser(user).post(path(team), {"name": "Tea house"}).status_code == status, user
    event = Event.objects.get(type="workspace_renamed")
    assert (event.data, event.actor_name) == ({"name": "Tea house"}, "alice")
    assert Workspace.objects.get(pk=team.workspace).name == "Tea house"
    browser(team.alice).post(path(team), {"name": "Tea house"})
    assert Event.objects.filter(type="workspace_renamed").count() == 1
