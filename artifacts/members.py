"""Members of a workspace and their roles. `role_of` is the one place that says who may see what."""

from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from artifacts import log
from artifacts.core import events, rules
from artifacts.core.actors import Actor, user_actor
from artifacts.core.rejections import Invalid
from artifacts.models import Membership, Workspace


def actor_of(user: User) -> Actor:
    """The actor that a person is."""
    return user_actor(user.pk, user.get_full_name() or user.get_username())


def role_of(user_id: int | str, workspace_id: str) -> str | None:
    """A person's role, or None for a stranger, for an account that is not active, and for what is no id."""
    try:
        memberships = Membership.objects.filter(
            workspace_id=workspace_id, user_id=user_id, user__is_active=True
        )
    except (ValidationError, ValueError):
        return None
    return memberships.values_list("role", flat=True).first()


def found_workspace(user: User, name: str) -> Workspace:
    """A new workspace with `user` as its owner."""

    def decide(entry: log.Entry) -> None:
        entry.append(events.WORKSPACE_CREATED, {"name": entry.workspace.name})
        _join(entry, user, rules.OWNER)

    with transaction.atomic():
        workspace = Workspace.objects.create(name=name[:200])
        log.write(str(workspace.pk), actor_of(user), decide)
    return workspace


def add_member(owner: User, workspace_id: str, user: User, role: str) -> None:
    """Make `user` a member, or change their role. Raises `NotFound`, `Forbidden` or `Invalid`."""

    def decide(entry: log.Entry) -> None:
        rules.require_owner(role_of(owner.pk, workspace_id))
        if role not in rules.ROLES:
            raise Invalid({"role": f"Choose one of {', '.join(rules.ROLES)}."})
        member = Membership.objects.filter(workspace_id=workspace_id, user=user).first()
        if member is None:
            _join(entry, user, role)
        elif member.role != role:
            _keep_an_owner(workspace_id, member, role)
            Membership.objects.filter(pk=member.pk).update(role=role)
            entry.append(events.MEMBER_CHANGED, _data(user, role))

    log.write(workspace_id, actor_of(owner), decide)


def remove_member(owner: User, workspace_id: str, user: User) -> None:
    """Take a member out; anyone may take themselves out. The last owner stays. Raises as `add_member`."""

    def decide(entry: log.Entry) -> None:
        role = role_of(owner.pk, workspace_id)
        if owner.pk == user.pk:
            rules.require_member(role)
        else:
            rules.require_owner(role)
        member = Membership.objects.filter(workspace_id=workspace_id, user=user).first()
        if member is not None:
            _keep_an_owner(workspace_id, member, None)
            member.delete()
            entry.append(events.MEMBER_LEFT, _data(user, member.role))

    log.write(workspace_id, actor_of(owner), decide)


def _join(entry: log.Entry, user: User, role: str) -> None:
    Membership.objects.create(workspace=entry.workspace, user=user, role=role, joined_at=entry.at)
    entry.append(events.MEMBER_JOINED, _data(user, role))


def _data(user: User, role: str) -> dict[str, Any]:
    return {"user": user.pk, "name": actor_of(user).name, "role": role}


def _keep_an_owner(workspace_id: str, member: Membership, role: str | None) -> None:
    """Raises `Invalid` where nobody would be left who can manage the workspace."""
    if member.role != rules.OWNER or role == rules.OWNER:
        return
    owners = Membership.objects.filter(workspace_id=workspace_id, role=rules.OWNER, user__is_active=True)
    if not owners.exclude(pk=member.pk).exists():
        raise Invalid({"role": "A workspace keeps at least one owner. Make somebody else an owner first."})
