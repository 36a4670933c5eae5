"""A person's account is closed for good, and their name taken from all that says who did something.

What they wrote stays: it is others' work too, and part of documents and conversations. A workspace in which nobody else
is goes with them, since nobody could enter it any more. Rows of the log keep their `seq`, their time and what they say;
only the name in them is another one (see ADR 11).
"""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from artifacts import log, members
from artifacts.anonymising import ALIAS, forget_in_workspace
from artifacts.core import events, rules
from artifacts.core.rejections import Forbidden, Invalid, NotFound
from artifacts.governing import wipe
from artifacts.models import Event, Membership, Workspace
from threads.models import Pace
from threads.turns.dismissing import dismiss
from threads.turns.forgetting import forget_in_threads

ANONYMISE = "auth.delete_user"


@dataclass(frozen=True, slots=True)
class Leaving:
    """What it means for workspaces: those that are deleted, those that are left, those that keep them from it."""

    deleted: list[Workspace]
    left: list[Workspace]
    owned: list[Workspace]


def leaving(user: User) -> Leaving:
    """What it would mean now."""
    mine = Membership.objects.filter(user=user).select_related("workspace").order_by("workspace_id")
    found = Leaving([], [], [])
    for membership in mine:
        others = Membership.objects.filter(workspace=membership.workspace_id).exclude(user=user)
        if not others.exists():
            found.deleted.append(membership.workspace)
        elif (
            membership.role == rules.OWNER
            and not others.filter(role=rules.OWNER, user__is_active=True).exists()
        ):
            found.owned.append(membership.workspace)
        else:
            found.left.append(membership.workspace)
    return found


def anonymise(staff: User, user_id: int) -> None:
    """Close the account and take the name out. All of it is one transaction.

    Raises `NotFound`, `Forbidden`, or `Invalid` while they are the only owner where others are.
    """
    with transaction.atomic():
        user = User.objects.select_for_update().filter(pk=user_id).first()
        if user is None:
            raise NotFound("This account")
        _require(staff, user)
        dismiss(members.actor_of(staff), user)
        departure = _Departure(user, {workspace.pk for workspace in leaving(user).deleted})
        for workspace in list(_touched_by(user)):
            log.write(str(workspace.pk), members.actor_of(staff), departure)
        _close(user)


def _require(staff: User, user: User) -> None:
    if members.account_with(staff, ANONYMISE) is None:
        raise Forbidden(f"This needs the permission {ANONYMISE}. Ask who manages accounts here.")
    if staff.pk == user.pk:
        raise Forbidden("Nobody can anonymise themselves. Ask another of the staff.")
    if user.is_superuser and not staff.is_superuser:
        raise Forbidden("Only a superuser may anonymise a superuser.")
    if owned := leaving(user).owned:
        names = ", ".join(f"“{workspace.name}”" for workspace in owned)
        raise Invalid({"user": f"Is the only owner of {names}. Make somebody else an owner there first."})


def _touched_by(user: User) -> QuerySet[Workspace]:
    """Where they are, or ever did something; in the one order in which workspaces are locked."""
    actor = members.actor_of(user)
    wrote = Event.objects.filter(actor_kind=actor.kind, actor_id=actor.id).values("workspace")
    joined = Event.objects.filter(type__in=events.ABOUT_MEMBERS, data__user=user.pk).values("workspace")
    mine = Membership.objects.filter(user=user).values("workspace")
    rows = Workspace.objects.filter(pk__in=wrote) | Workspace.objects.filter(pk__in=joined)
    return (rows | Workspace.objects.filter(pk__in=mine)).order_by("pk")


@dataclass(frozen=True, slots=True)
class _Departure:
    """What is done in one workspace, under its lock."""

    user: User
    deleted: set[object]

    def __call__(self, entry: log.Entry) -> None:
        if entry.workspace.pk in self.deleted:
            wipe(entry)
            return
        if (member := members.member_of(str(entry.workspace.pk), self.user.pk)) is not None:
            members.leave(entry, member)
            entry.events[-1].data["name"] = ALIAS
        entry.append(events.MEMBER_ANONYMISED, {"user": self.user.pk})
        forget_in_threads(entry, self.user)
        forget_in_workspace(entry, self.user)


def _close(user: User) -> None:
    user.username, user.first_name, user.last_name, user.email = f"former-{user.pk}", ALIAS, "", ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    user.groups.clear()
    user.user_permissions.clear()
    Pace.objects.filter(user=user).delete()
