"""Invitations by e-mail, for people who may have no account yet.

An invitation is a link. It joins one person to a workspace, once, within a week, and only while whoever made it still
owns the workspace. The database keeps a hash of the link's token: the link itself is known to those it was shown to.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from artifacts import log
from artifacts.core import events, rules
from artifacts.core.rejections import Invalid, InvitationOver, NotFound
from artifacts.core.text import checked
from artifacts.members import actor_of, join, require_to_grant, role_of
from artifacts.models import Invitation

LASTS = timedelta(days=7)
MANY = 100
"""Invitations that may be open in a workspace at a time."""


@dataclass(frozen=True, slots=True)
class Invited:
    """A new invitation, and the token of its link, which nothing else tells."""

    invitation: Invitation
    token: str


def invite(owner: User, workspace_id: str, email: str, role: str) -> Invited:
    """Make a link for whoever reads this address; an earlier one for it stops working.

    Raises `NotFound`, `Forbidden`, or `Invalid` for `email` and `role`.
    """
    token = secrets.token_urlsafe(32)

    def decide(entry: log.Entry) -> Invited:
        require_to_grant(owner, workspace_id, role)
        address = _address(email)
        for earlier in open_invitations(workspace_id, entry.at).filter(email=address):
            _withdraw(entry, earlier)
        if open_invitations(workspace_id, entry.at).count() >= MANY:
            raise Invalid({"email": f"{MANY} invitations are open here. Withdraw one that nobody needs."})
        return Invited(_make(entry, owner, address, role, token), token)

    return log.write(workspace_id, actor_of(owner), decide)


def withdraw(owner: User, workspace_id: str, invitation_id: str) -> None:
    """End an invitation that nobody has accepted yet. Raises `NotFound` or `Forbidden`."""

    def decide(entry: log.Entry) -> None:
        rules.require_owner(role_of(owner.pk, workspace_id))
        invitation = Invitation.objects.filter(
            workspace_id=workspace_id, pk=invitation_id, accepted_at=None
        ).first()
        if invitation is None:
            raise NotFound("This invitation")
        _withdraw(entry, invitation)

    log.write(workspace_id, actor_of(owner), decide)


def accept(user: User, token: str) -> str:
    """Join the workspace of a link; its id. A member already loses nothing, and spends nothing.

    Raises `InvitationOver`.
    """
    workspace_id = str(invitation_of(token).workspace_id)

    def decide(entry: log.Entry) -> str:
        if role_of(user.pk, workspace_id) is None:
            invitation = invitation_of(token)
            require_open(invitation, entry.at)
            _join(entry, user, invitation)
        return workspace_id

    return log.write(workspace_id, actor_of(user), decide)


def accept_as_newcomer(username: str, password: str, token: str) -> User:
    """Make an account and join with it: both or neither.

    Raises `InvitationOver`, or `Invalid` for a name that is taken.
    """
    email = invitation_of(token).email
    newcomer = User(username=username, email=email, password=make_password(password))
    try:
        with transaction.atomic():
            newcomer.save()
            accept(newcomer, token)
    except IntegrityError:
        raise Invalid({"username": "A user with that username already exists."}) from None
    return newcomer


def invitation_of(token: str) -> Invitation:
    """The invitation of a link, whether it still works or not. Raises `InvitationOver` where there is none."""
    rows = Invitation.objects.select_related("workspace", "invited_by")
    invitation = rows.filter(token_hash=_hash(token)).first()
    if invitation is None:
        raise InvitationOver("This invitation does not exist, or was withdrawn.")
    return invitation


def require_open(invitation: Invitation, at: datetime) -> None:
    """Raises `InvitationOver` for a link that does not work at that moment."""
    if invitation.accepted_at is not None:
        raise InvitationOver("This invitation was used already.")
    if invitation.expires_at <= at:
        raise InvitationOver("This invitation has expired.")
    if role_of(invitation.invited_by_id or 0, str(invitation.workspace_id)) != rules.OWNER:
        raise InvitationOver("Whoever made this invitation no longer manages the workspace.")


def open_invitations(workspace_id: str, at: datetime) -> QuerySet[Invitation]:
    """Those that nobody has accepted and that have not expired, the newest first."""
    rows = Invitation.objects.filter(workspace_id=workspace_id, accepted_at=None, expires_at__gt=at)
    return rows.select_related("invited_by")


def _make(entry: log.Entry, owner: User, email: str, role: str, token: str) -> Invitation:
    invitation = Invitation(
        workspace=entry.workspace,
        email=email,
        role=role,
        token_hash=_hash(token),
        invited_by=owner,
        made_at=entry.at,
        expires_at=entry.at + LASTS,
    )
    invitation.seq = entry.append(events.INVITATION_MADE, _data(invitation))
    invitation.save()
    return invitation


def _join(entry: log.Entry, user: User, invitation: Invitation) -> None:
    Invitation.objects.filter(pk=invitation.pk).update(accepted_at=entry.at, accepted_by=user)
    entry.append(events.INVITATION_ACCEPTED, {**_data(invitation), "user": user.pk}, about=invitation.seq)
    join(entry, user, invitation.role)


def _withdraw(entry: log.Entry, invitation: Invitation) -> None:
    entry.append(events.INVITATION_WITHDRAWN, _data(invitation), about=invitation.seq)
    invitation.delete()


def _data(invitation: Invitation) -> dict[str, Any]:
    return {"invitation": str(invitation.pk), "email": invitation.email, "role": invitation.role}


def _address(email: str) -> str:
    """The address as it is stored: one person is not invited twice for the sake of a capital letter."""
    address = checked("email", email.strip(), limit=254).lower()
    try:
        validate_email(address)
    except ValidationError:
        raise Invalid({"email": f"{address} is not an e-mail address."}) from None
    return address


def _hash(token: str) -> str:
    """A token has 256 random bits, so that a plain hash of it tells nothing."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
