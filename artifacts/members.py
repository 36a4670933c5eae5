"""Members of a workspace and their roles. `role_of` and `workspaces_of` say who may see what, and nothing else does."""

from typing import Any
from uuid import UUID, uuid4

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from artifacts import log
from artifacts.core import events, rules
from artifacts.core.actors import Actor, user_actor
from artifacts.core.rejections import Invalid, NotFound
from artifacts.core.text import checked
from artifacts.models import Membership, Workspace
from artifacts.prepared import Prepared, given_id, given_number

ROLE = Prepared(
    lambda: Membership.objects.filter(
        workspace_id=given_id("workspace"), user_id=given_number("user"), user__is_active=True
    ).values_list("role", flat=True)
)

GOVERN = "artifacts.govern_workspaces"
FOUND = "artifacts.add_workspace"
NAME_LIMIT = 200


def actor_of(user: User) -> Actor:
    """The actor that a person is."""
    return user_actor(user.pk, user.get_full_name() or user.get_username())


def role_of(user_id: int | str, workspace_id: str) -> str | None:
    """A person's role, or None for a stranger, for an account that is not active, and for what is no id."""
    return ROLE.first_if_any(workspace=workspace_id, user=user_id)


def account_with(user: User, permission: str) -> User | None:
    """The account as it is now, if it is active and has this permission: what was granted may be gone meanwhile."""
    account = User.objects.filter(pk=user.pk, is_active=True).first()
    return account if account is not None and account.has_perm(permission) else None


def workspaces_of(user: User) -> QuerySet[Workspace]:
    """The workspaces that a person is a member of, the one joined first in front."""
    mine = Workspace.objects.filter(memberships__user=user, memberships__user__is_active=True)
    return mine.order_by("memberships__joined_at", "memberships__pk")


def workspace_for(user: User, workspace_id: str) -> Workspace:
    """One of them. Raises `NotFound` for a stranger."""
    try:
        return workspaces_of(user).get(pk=workspace_id)
    except (Workspace.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This workspace") from None


def members_of(workspace_id: str) -> QuerySet[Membership]:
    """Everybody in a workspace with their account, in the order in which they joined."""
    rows = Membership.objects.filter(workspace_id=workspace_id)
    return rows.select_related("user").order_by("joined_at", "pk")


def found_workspace(user: User, name: str, id: UUID | None = None) -> Workspace:
    """A new workspace with `user` as its owner, made once by one `id`. Raises `NotFound`, `Invalid` or `TooLarge`."""
    said = checked("name", name.strip(), limit=NAME_LIMIT)

    def decide(entry: log.Entry) -> None:
        entry.append(events.WORKSPACE_CREATED, {"name": entry.workspace.name})
        join(entry, user, rules.OWNER)

    with transaction.atomic():
        workspace, is_new = Workspace.objects.get_or_create(pk=id or uuid4(), defaults={"name": said})
        if not is_new:
            return workspace_for(user, str(id))
        log.write(str(workspace.pk), actor_of(user), decide)
    return workspace


def rename_workspace(owner: User, workspace_id: str, name: str) -> int:
    """Give a workspace a name; the `seq` of that. Raises `NotFound`, `Forbidden`, `Invalid` or `TooLarge`."""

    def decide(entry: log.Entry) -> int:
        rules.require_owner(role_of(owner.pk, workspace_id))
        said = checked("name", name.strip(), limit=NAME_LIMIT)
        if said == entry.workspace.name:
            return entry.head
        Workspace.objects.filter(pk=entry.workspace.pk).update(name=said)
        return entry.append(events.WORKSPACE_RENAMED, {"name": said})

    return log.write(workspace_id, actor_of(owner), decide)


def add_member(owner: User, workspace_id: str, user: User, role: str) -> int:
    """Make `user` a member, or change their role; the `seq` of that. Raises `NotFound`, `Forbidden` or `Invalid`."""

    def decide(entry: log.Entry) -> int:
        require_manager(owner, workspace_id)
        _require_role(role)
        member = member_of(workspace_id, user.pk)
        return join(entry, user, role) if member is None else _change(entry, member, role)

    return log.write(workspace_id, actor_of(owner), decide)


def add_by_name(owner: User, workspace_id: str, username: str, role: str) -> User:
    """Make the account with this user name a member, at once. Raises as `add_member`, and where they are one."""

    def decide(entry: log.Entry) -> User:
        require_manager(owner, workspace_id)
        _require_role(role)
        user = _account(username)
        if member_of(workspace_id, user.pk) is not None:
            raise Invalid({"username": f"{actor_of(user).name} is a member already."})
        join(entry, user, role)
        return user

    return log.write(workspace_id, actor_of(owner), decide)


def change_role(owner: User, workspace_id: str, user_id: int, role: str) -> int:
    """Give a member another role. Raises as `add_member`; `NotFound` also for who has left meanwhile."""

    def decide(entry: log.Entry) -> int:
        require_manager(owner, workspace_id)
        _require_role(role)
        member = member_of(workspace_id, user_id)
        if member is None:
            raise NotFound("This member")
        return _change(entry, member, role)

    return log.write(workspace_id, actor_of(owner), decide)


def remove_member(owner: User, workspace_id: str, user: User) -> int:
    """Take a member out; anyone may take themselves out. The last owner stays. Raises as `add_member`."""

    def decide(entry: log.Entry) -> int:
        if owner.pk == user.pk:
            rules.require_member(role_of(owner.pk, workspace_id))
        else:
            require_manager(owner, workspace_id)
        member = member_of(workspace_id, user.pk)
        if member is None:
            return entry.head
        _keep_an_owner(workspace_id, member, None)
        return leave(entry, member)

    return log.write(workspace_id, actor_of(owner), decide)


def require_manager(user: User, workspace_id: str) -> None:
    """Raises a `Rejection` unless this is an owner, or one of the staff who may say who is in a workspace."""
    if account_with(user, GOVERN) is None:
        rules.require_owner(role_of(user.pk, workspace_id))


def require_to_grant(owner: User, workspace_id: str, role: str) -> None:
    """Raises a `Rejection` unless `owner` may make somebody a `role` here. Called under the lock."""
    rules.require_owner(role_of(owner.pk, workspace_id))
    _require_role(role)


def _require_role(role: str) -> None:
    if role not in rules.ROLES:
        raise Invalid({"role": f"Choose one of {', '.join(rules.ROLES)}."})


def join(entry: log.Entry, user: User, role: str) -> int:
    """Make `user` a member, within a write that has made sure that they may be."""
    Membership.objects.create(workspace=entry.workspace, user=user, role=role, joined_at=entry.at)
    return entry.append(events.MEMBER_JOINED, _data(user, role))


def leave(entry: log.Entry, member: Membership) -> int:
    """Take a member out, within a write that has made sure that they may be."""
    member.delete()
    return entry.append(events.MEMBER_LEFT, _data(member.user, member.role))


def _change(entry: log.Entry, member: Membership, role: str) -> int:
    if member.role == role:
        return entry.head
    _keep_an_owner(str(entry.workspace.pk), member, role)
    Membership.objects.filter(pk=member.pk).update(role=role)
    return entry.append(events.MEMBER_CHANGED, _data(member.user, role))


def member_of(workspace_id: str, user_id: int) -> Membership | None:
    """One membership with its account, if there is one."""
    members = Membership.objects.filter(workspace_id=workspace_id, user_id=user_id)
    return members.select_related("user").first()


def _account(username: str) -> User:
    name = checked("username", username.strip(), limit=150)
    user = User.objects.filter(username=name, is_active=True).first()
    if user is None:
        raise Invalid(
            {"username": f"Nobody here is called {name}. Check the name, or invite them by e-mail."}
        )
    return user


def _data(user: User, role: str) -> dict[str, Any]:
    return {"user": user.pk, "name": actor_of(user).name, "role": role}


def _keep_an_owner(workspace_id: str, member: Membership, role: str | None) -> None:
    """Raises `Invalid` where nobody would be left who can manage the workspace."""
    if member.role != rules.OWNER or role == rules.OWNER:
        return
    owners = Membership.objects.filter(workspace_id=workspace_id, role=rules.OWNER, user__is_active=True)
    if not owners.exclude(pk=member.pk).exists():
        raise Invalid({"role": "A workspace keeps at least one owner. Make somebody else an owner first."})
