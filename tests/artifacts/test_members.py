"""Members: everyone owns a workspace, owners manage theirs, and one who can manage it always stays."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from artifacts import log
from artifacts.core.actors import user_actor
from artifacts.core.rejections import Forbidden, Invalid, NotFound, Rejection
from artifacts.members import (
    actor_of,
    add_by_name,
    add_member,
    change_role,
    found_workspace,
    remove_member,
    role_of,
    workspace_for,
    workspaces_of,
)
from artifacts.models import Membership, Workspace
from tests.artifacts.people import person, workspace_of
from tests.artifacts.test_concurrency import at_once

pytestmark = pytest.mark.django_db


def roles(workspace: str) -> dict[str, str]:
    members = Membership.objects.filter(workspace_id=workspace)
    return {member.user.first_name: member.role for member in members.select_related("user")}


def told(workspace: str) -> list[tuple[str, str, str]]:
    """Type, who it is about, and their role, of each event about members."""
    events = [event for event in log.read(workspace).events if event.type.startswith("member")]
    return [(event.type, event.data["name"], event.data["role"]) for event in events]


def deactivate(user: User) -> None:
    user.is_active = False
    user.save()


def test_with_an_account_comes_a_workspace_that_it_owns(alice: User, workspace: str) -> None:
    founded, joined = log.read(workspace).events
    assert (founded.type, founded.data) == ("workspace_created", {"name": "Alice’s workspace"})
    assert (joined.type, joined.data) == (
        "member_joined",
        {"user": alice.pk, "name": "Alice", "role": "owner"},
    )
    assert founded.actor == joined.actor == user_actor(alice.pk, "Alice")
    assert roles(workspace) == {"Alice": "owner"}
    assert Workspace.objects.get().name == "Alice’s workspace"


def test_saving_an_account_again_founds_nothing(alice: User, workspace: str) -> None:
    alice.last_name = "Liddell"
    alice.save()
    assert Workspace.objects.count() == 1


def test_a_fixture_founds_nothing(alice: User, workspace: str, tmp_path: object) -> None:
    dump = f"{tmp_path}/dump.json"
    call_command("dumpdata", "auth.user", "artifacts", output=dump)
    Workspace.objects.all().delete()
    alice.delete()
    call_command("loaddata", dump, verbosity=0)
    assert [str(found.pk) for found in Workspace.objects.all()] == [workspace]


def test_a_person_is_called_by_their_full_name_and_else_by_their_account() -> None:
    assert (
        actor_of(User(pk=1, username="alice", first_name="Alice", last_name="Liddell")).name
        == "Alice Liddell"
    )
    assert actor_of(User(pk=1, username="alice")).name == "alice"


def test_the_longest_name_founds_a_workspace() -> None:
    user = User.objects.create_user("x" * 150, first_name="y" * 150, last_name="z" * 150)
    assert len(Workspace.objects.get().name) <= 200
    assert role_of(user.pk, workspace_of(user)) == "owner"


def test_somebody_may_found_more(alice: User) -> None:
    second = found_workspace(alice, "Second")
    assert roles(str(second.pk)) == {"Alice": "owner"}
    assert second.name == "Second"


def test_an_owner_adds_changes_and_removes_a_member(alice: User, charlie: User, workspace: str) -> None:
    add_member(alice, workspace, charlie, "viewer")
    add_member(alice, workspace, charlie, "editor")
    add_member(alice, workspace, charlie, "editor")
    assert roles(workspace) == {"Alice": "owner", "Charlie": "editor"}
    remove_member(alice, workspace, charlie)
    remove_member(alice, workspace, charlie)
    assert roles(workspace) == {"Alice": "owner"}
    assert told(workspace)[1:] == [
        ("member_joined", "Charlie", "viewer"),
        ("member_changed", "Charlie", "editor"),
        ("member_left", "Charlie", "editor"),
    ]


@pytest.mark.parametrize(
    ("who", "refusal"), [("alice", None), ("bob", Forbidden), ("vera", Forbidden), ("charlie", NotFound)]
)
def test_only_owners_manage_members(
    alice: User,
    bob: User,
    vera: User,
    charlie: User,
    workspace: str,
    who: str,
    refusal: type[Rejection] | None,
) -> None:
    people = {"alice": alice, "bob": bob, "vera": vera, "charlie": charlie}
    dora = person("Dora")
    actions: list[Callable[[User], object]] = [
        lambda who: add_member(who, workspace, dora, "viewer"),
        lambda who: add_member(who, workspace, dora, "nonsense") if refusal else None,
        lambda who: add_member(who, workspace, who, "owner"),
        lambda who: remove_member(who, workspace, dora),
    ]
    before = roles(workspace)
    for act in actions:
        if refusal is None:
            act(people[who])
        else:
            with pytest.raises(refusal):
                act(people[who])
            assert roles(workspace) == before


def test_an_unknown_role_is_refused(alice: User, charlie: User, workspace: str) -> None:
    with pytest.raises(Invalid) as refused:
        add_member(alice, workspace, charlie, "admin")
    assert "viewer, editor, owner" in refused.value.details["fields"]["role"]
    assert roles(workspace) == {"Alice": "owner"}


def test_anyone_may_leave_and_a_stranger_cannot(bob: User, vera: User, charlie: User, workspace: str) -> None:
    remove_member(bob, workspace, bob)
    remove_member(vera, workspace, vera)
    assert roles(workspace) == {"Alice": "owner"}
    for gone in (bob, charlie):
        with pytest.raises(NotFound):
            remove_member(gone, workspace, gone)


def test_the_last_owner_stays_and_stays_owner(alice: User, bob: User, workspace: str) -> None:
    before = told(workspace)
    acts: list[Callable[[], object]] = [
        lambda: remove_member(alice, workspace, alice),
        lambda: add_member(alice, workspace, alice, "editor"),
    ]
    for act in acts:
        with pytest.raises(Invalid):
            act()
    assert (roles(workspace)["Alice"], told(workspace)) == ("owner", before)


def test_an_owner_may_leave_once_there_is_another(alice: User, bob: User, workspace: str) -> None:
    add_member(alice, workspace, bob, "owner")
    remove_member(alice, workspace, alice)
    assert roles(workspace) == {"Bob": "owner"}
    with pytest.raises(NotFound):
        add_member(alice, workspace, alice, "owner")


def test_a_deactivated_owner_is_no_owner_to_leave_behind(alice: User, bob: User, workspace: str) -> None:
    add_member(alice, workspace, bob, "owner")
    deactivate(bob)
    with pytest.raises(Invalid):
        remove_member(alice, workspace, alice)
    with pytest.raises(Invalid):
        add_member(alice, workspace, alice, "viewer")
    remove_member(alice, workspace, bob)
    assert roles(workspace) == {"Alice": "owner"}


def test_a_deactivated_account_is_a_stranger(alice: User, bob: User, workspace: str) -> None:
    deactivate(bob)
    assert role_of(bob.pk, workspace) is None
    with pytest.raises(NotFound):
        remove_member(bob, workspace, bob)
    deactivate(alice)
    with pytest.raises(NotFound):
        add_member(alice, workspace, bob, "viewer")


@pytest.mark.parametrize("workspace_id", ["", "nonsense", "\x00", "00000000-0000-0000-0000-000000000000"])
def test_a_workspace_that_is_none_has_no_members(alice: User, charlie: User, workspace_id: str) -> None:
    assert role_of(alice.pk, workspace_id) is None
    acts: list[Callable[[], object]] = [
        lambda: add_member(alice, workspace_id, charlie, "viewer"),
        lambda: remove_member(alice, workspace_id, charlie),
    ]
    for act in acts:
        with pytest.raises(NotFound):
            act()


def test_who_is_nobody_has_no_role(workspace: str) -> None:
    assert role_of(0, workspace) is None
    assert role_of("no number", workspace) is None


def test_somebody_is_added_by_their_user_name(alice: User, charlie: User, workspace: str) -> None:
    assert add_by_name(alice, workspace, " charlie ", "viewer") == charlie
    assert roles(workspace)["Charlie"] == "viewer"
    assert told(workspace)[-1] == ("member_joined", "Charlie", "viewer")


def test_adding_by_name_changes_no_member(alice: User, bob: User, workspace: str) -> None:
    with pytest.raises(Invalid) as refused:
        add_by_name(alice, workspace, "bob", "owner")
    assert "Bob is a member already" in refused.value.message
    assert roles(workspace)["Bob"] == "editor"


@pytest.mark.parametrize("name", ["nobody", "Charlie", "", "\x00", "%", "gone"])
def test_a_name_of_nobody_adds_nobody(alice: User, charlie: User, workspace: str, name: str) -> None:
    deactivate(person("Gone"))
    with pytest.raises(Invalid) as refused:
        add_by_name(alice, workspace, name, "viewer")
    assert set(refused.value.details["fields"]) == {"username"}
    assert roles(workspace) == {"Alice": "owner"}


def test_who_may_not_add_learns_of_no_account(bob: User, vera: User, charlie: User, workspace: str) -> None:
    for who, refusal in ((bob, Forbidden), (vera, Forbidden), (charlie, NotFound)):
        for name in ("charlie", "nobody"):
            with pytest.raises(refusal):
                add_by_name(who, workspace, name, "viewer")


def test_a_role_is_given_to_members_only(alice: User, bob: User, charlie: User, workspace: str) -> None:
    change_role(alice, workspace, bob.pk, "viewer")
    assert roles(workspace)["Bob"] == "viewer"
    remove_member(alice, workspace, bob)
    for nobody in (bob.pk, charlie.pk, 0):
        with pytest.raises(NotFound):
            change_role(alice, workspace, nobody, "editor")
    assert roles(workspace) == {"Alice": "owner"}


def test_only_owners_give_roles(bob: User, vera: User, charlie: User, workspace: str) -> None:
    for who, refusal in ((bob, Forbidden), (vera, Forbidden), (charlie, NotFound)):
        with pytest.raises(refusal):
            change_role(who, workspace, bob.pk, "owner")
    assert roles(workspace)["Bob"] == "editor"


def test_one_s_workspaces_are_those_one_belongs_to(
    alice: User, bob: User, charlie: User, workspace: str
) -> None:
    assert [str(row.pk) for row in workspaces_of(bob)] == [workspace_of(bob), workspace]
    assert str(workspace_for(bob, workspace).pk) == workspace
    for nowhere in (workspace, "", "nonsense", "\x00", "00000000-0000-0000-0000-000000000000"):
        with pytest.raises(NotFound):
            workspace_for(charlie, nowhere)
    deactivate(bob)
    assert not workspaces_of(bob)


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_leave_at_once_leave_one_behind(alice: User, bob: User, workspace: str) -> None:
    add_member(alice, workspace, bob, "owner")
    outcomes = at_once(
        [lambda: remove_member(alice, workspace, alice), lambda: remove_member(bob, workspace, bob)]
    )
    assert sorted(map(type, outcomes), key=str) == sorted([int, Invalid], key=str)
    assert list(roles(workspace).values()) == ["owner"]


@pytest.mark.django_db(transaction=True)
def test_the_last_owner_who_leaves_twice_at_once_stays(alice: User, bob: User, workspace: str) -> None:
    outcomes = at_once([lambda: remove_member(alice, workspace, alice)] * 4)
    assert [type(outcome) for outcome in outcomes] == [Invalid] * 4
    assert roles(workspace) == {"Alice": "owner", "Bob": "editor"}
