"""Invitations: a link joins one person, once, within a week, while whoever made it still owns the workspace."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from artifacts import invitations, log
from artifacts.core.rejections import Forbidden, Invalid, InvitationOver, NotFound, Rejection, TooLarge
from artifacts.invitations import accept, accept_as_newcomer, invite, open_invitations, withdraw
from artifacts.members import add_member, remove_member, role_of
from artifacts.models import Invitation
from tests.artifacts.people import person
from tests.artifacts.test_concurrency import at_once

pytestmark = pytest.mark.django_db

DORA = "dora@example.org"


def told(workspace: str) -> list[tuple[str, str]]:
    events = [event for event in log.read(workspace).events if event.type.startswith("invitation")]
    return [(event.type, event.data["email"]) for event in events]


def expire(workspace: str) -> None:
    Invitation.objects.filter(workspace_id=workspace).update(expires_at=timezone.now())


def refused(token: str, user: User) -> str:
    """Why a link does not let somebody in; it changes nothing."""
    before = Invitation.objects.values_list("accepted_by", "accepted_at").order_by("pk")
    rows = list(before)
    with pytest.raises(InvitationOver) as over:
        accept(user, token)
    assert list(before.all()) == rows
    return over.value.message


def test_a_link_joins_whoever_opens_it_once(alice: User, charlie: User, workspace: str) -> None:
    invited = invite(alice, workspace, " Dora@Example.org ", "editor")
    assert accept(charlie, invited.token) == workspace
    assert role_of(charlie.pk, workspace) == "editor"
    made, accepted, joined = log.read(workspace).events[-3:]
    assert (made.type, accepted.type, joined.type) == (
        "invitation_made",
        "invitation_accepted",
        "member_joined",
    )
    assert made.data == {"invitation": str(invited.invitation.pk), "email": DORA, "role": "editor"}
    assert (accepted.about, accepted.data["user"]) == (made.seq, charlie.pk)
    assert "was used already" in refused(invited.token, person("Dora"))
    assert not open_invitations(workspace, timezone.now())


def test_the_database_does_not_know_the_link(alice: User, workspace: str) -> None:
    invited = invite(alice, workspace, DORA, "viewer")
    row = Invitation.objects.values().get()
    assert invited.token not in str(row)
    assert invited.token not in str([event.data for event in log.read(workspace).events])
    assert len(invited.token) >= 43


def test_a_newcomer_gets_an_account_and_joins_with_it(alice: User, workspace: str) -> None:
    token = invite(alice, workspace, DORA, "viewer").token
    dora = accept_as_newcomer("dora", "a long password", token)
    assert dora.check_password("a long password")
    assert dora.email == DORA
    assert role_of(dora.pk, workspace) == "viewer"
    assert dora.memberships.count() == 2, "one of their own, and this one"


def test_without_a_place_there_is_no_account(alice: User, charlie: User, workspace: str) -> None:
    token = invite(alice, workspace, DORA, "viewer").token
    with pytest.raises(Invalid) as taken:
        accept_as_newcomer("charlie", "a long password", token)
    assert set(taken.value.details["fields"]) == {"username"}
    accept(charlie, token)
    with pytest.raises(InvitationOver):
        accept_as_newcomer("dora", "a long password", token)
    assert not User.objects.filter(username="dora").exists()


def test_a_member_loses_nothing_by_a_link_and_spends_nothing(alice: User, bob: User, workspace: str) -> None:
    token = invite(alice, workspace, DORA, "viewer").token
    head = log.head(workspace)
    assert accept(bob, token) == accept(alice, token) == workspace
    assert (role_of(bob.pk, workspace), role_of(alice.pk, workspace)) == ("editor", "owner")
    assert log.head(workspace) == head
    accept(person("Dora"), token)


def test_a_link_expires_after_a_week(alice: User, charlie: User, workspace: str) -> None:
    invited = invite(alice, workspace, DORA, "editor")
    left = invited.invitation.expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < left <= timedelta(days=7)
    expire(workspace)
    assert "has expired" in refused(invited.token, charlie)
    assert not open_invitations(workspace, timezone.now())


@pytest.mark.parametrize("token", ["", "nonsense", "x" * 5000, "\x00", "é", "\ud800"])
def test_a_link_that_nobody_made_joins_nobody(charlie: User, token: str) -> None:
    assert "does not exist" in refused(token, charlie)


def test_inviting_again_replaces_the_link(alice: User, charlie: User, workspace: str) -> None:
    first = invite(alice, workspace, DORA, "editor").token
    second = invite(alice, workspace, DORA.upper(), "viewer").token
    assert "withdrawn" in refused(first, charlie)
    assert [row.role for row in open_invitations(workspace, timezone.now())] == ["viewer"]
    accept(charlie, second)
    assert [type for type, _ in told(workspace)] == [
        "invitation_made",
        "invitation_withdrawn",
        "invitation_made",
        "invitation_accepted",
    ]


def test_a_withdrawn_link_joins_nobody(alice: User, charlie: User, workspace: str) -> None:
    invited = invite(alice, workspace, DORA, "editor")
    withdraw(alice, workspace, str(invited.invitation.pk))
    assert "withdrawn" in refused(invited.token, charlie)
    made, gone = log.read(workspace).events[-2:]
    assert (gone.type, gone.about) == ("invitation_withdrawn", made.seq)
    with pytest.raises(NotFound):
        withdraw(alice, workspace, str(invited.invitation.pk))


def test_what_was_accepted_cannot_be_withdrawn(alice: User, charlie: User, workspace: str) -> None:
    invited = invite(alice, workspace, DORA, "editor")
    accept(charlie, invited.token)
    with pytest.raises(NotFound):
        withdraw(alice, workspace, str(invited.invitation.pk))


def test_who_was_made_to_leave_has_left_no_way_back(alice: User, bob: User, workspace: str) -> None:
    add_member(alice, workspace, bob, "owner")
    token = invite(bob, workspace, "bob@example.org", "owner").token
    remove_member(alice, workspace, bob)
    assert "no longer manages" in refused(token, bob)


def test_a_demoted_or_deactivated_owner_lets_nobody_in(
    alice: User, bob: User, charlie: User, workspace: str
) -> None:
    add_member(alice, workspace, bob, "owner")
    token = invite(bob, workspace, DORA, "owner").token
    add_member(alice, workspace, bob, "editor")
    assert "no longer manages" in refused(token, charlie)
    add_member(alice, workspace, bob, "owner")
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert "no longer manages" in refused(token, charlie)


@pytest.mark.parametrize(("who", "refusal"), [("bob", Forbidden), ("vera", Forbidden), ("charlie", NotFound)])
def test_only_owners_invite_and_withdraw(
    alice: User,
    bob: User,
    vera: User,
    charlie: User,
    workspace: str,
    who: str,
    refusal: type[Rejection],
) -> None:
    somebody = {"bob": bob, "vera": vera, "charlie": charlie}[who]
    invited = invite(alice, workspace, DORA, "viewer")
    acts: list[Callable[[], object]] = [
        lambda: invite(somebody, workspace, "else@example.org", "viewer"),
        lambda: invite(somebody, workspace, "nonsense", "nonsense"),
        lambda: withdraw(somebody, workspace, str(invited.invitation.pk)),
    ]
    for act in acts:
        with pytest.raises(refusal):
            act()
    assert told(workspace) == [("invitation_made", DORA)]


def test_an_owner_elsewhere_withdraws_nothing_here(alice: User, charlie: User, workspace: str) -> None:
    invited = invite(alice, workspace, DORA, "viewer")
    elsewhere = str(charlie.memberships.get().workspace_id)
    with pytest.raises(NotFound):
        withdraw(charlie, elsewhere, str(invited.invitation.pk))


@pytest.mark.parametrize(
    "email", ["", "  ", "dora", "dora@", "a@b@c.de", "a b@c.de", "d@x.de\nBcc: e@x.de", "\x00@x.de"]
)
def test_an_address_is_one(alice: User, workspace: str, email: str) -> None:
    with pytest.raises(Invalid) as refused:
        invite(alice, workspace, email, "viewer")
    assert set(refused.value.details["fields"]) == {"email"}


def test_an_address_has_an_end(alice: User, workspace: str) -> None:
    with pytest.raises(TooLarge):
        invite(alice, workspace, f"{'x' * 300}@example.org", "viewer")


def test_a_role_is_one(alice: User, workspace: str) -> None:
    with pytest.raises(Invalid) as refused:
        invite(alice, workspace, DORA, "admin")
    assert set(refused.value.details["fields"]) == {"role"}


def test_there_is_an_end_to_inviting(alice: User, workspace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "MANY", 2)
    for name in ("a", "b", "b"):
        invite(alice, workspace, f"{name}@example.org", "viewer")
    with pytest.raises(Invalid):
        invite(alice, workspace, "c@example.org", "viewer")
    expire(workspace)
    invite(alice, workspace, "c@example.org", "viewer")


@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_one_link_at_once_one_joins(alice: User, workspace: str) -> None:
    token = invite(alice, workspace, DORA, "editor").token
    crowd = [person(f"P{number}") for number in range(8)]
    outcomes = at_once([lambda user=user: accept(user, token) for user in crowd])  # type: ignore[misc]  # bound now
    assert outcomes.count(workspace) == 1
    assert all(isinstance(outcome, InvitationOver) for outcome in outcomes if outcome != workspace)
    assert sum(role_of(user.pk, workspace) is not None for user in crowd) == 1
    assert [type for type, _ in told(workspace)] == ["invitation_made", "invitation_accepted"]


@pytest.mark.django_db(transaction=True)
def test_accepting_and_withdrawing_at_once_is_one_or_the_other(
    alice: User, charlie: User, workspace: str
) -> None:
    invited = invite(alice, workspace, DORA, "editor")
    acts: list[Callable[[], object]] = [
        lambda: accept(charlie, invited.token),
        lambda: withdraw(alice, workspace, str(invited.invitation.pk)),
    ]
    outcomes = at_once(acts)
    joined = role_of(charlie.pk, workspace) is not None
    assert isinstance(outcomes[0], InvitationOver) != joined
    assert isinstance(outcomes[1], NotFound) == joined
