"""A person's name goes from a workspace's log and from its artifacts, within the write that anonymises them.

This is the one place in which rows of the log change; what they say, when, and in which order does not.
"""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet

from artifacts.core import events
from artifacts.core.actors import Actor
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Artifact, Event, Invitation, Proposal, Publication, Revision

ALIAS = "Former member"
NAMING = (*events.ABOUT_MEMBERS, *events.ABOUT_INVITATIONS, events.ARTIFACT_EDITED, events.PROPOSAL_RESOLVED)
"""Events whose data name people, besides whoever wrote them."""


def forget_in_workspace(entry: Entry, user: User) -> None:
    """In one workspace: who joined, who wrote which version, who proposed, decided and published."""
    actor = actor_of(user)
    theirs = {"actor_kind": actor.kind, "actor_id": actor.id}
    own = Event.objects.filter(workspace=entry.workspace, **theirs)
    _forget_decisions(own)
    newest = Revision.objects.filter(artifact=OuterRef("pk"), version=OuterRef("version"), **theirs)
    Artifact.objects.filter(Exists(newest), workspace=entry.workspace).update(changed_by=ALIAS)
    Revision.objects.filter(artifact__workspace=entry.workspace, **theirs).update(actor_name=ALIAS)
    Proposal.objects.filter(artifact__workspace=entry.workspace, **theirs).update(actor_name=ALIAS)
    _forget_address(entry, user)
    _forget_in_data(entry, actor)
    own.update(actor_name=ALIAS)


def _forget_decisions(own: QuerySet[Event]) -> None:
    """What only an event ties to whoever did it."""
    decided = own.filter(type=events.PROPOSAL_RESOLVED).values_list("data__proposal", flat=True)
    Proposal.objects.filter(pk__in=list(decided)).update(decided_by=ALIAS)
    published = own.filter(type=events.ARTIFACT_PUBLISHED).values_list("data__publication", flat=True)
    Publication.objects.filter(pk__in=list(published)).update(published_by=ALIAS)


def _forget_address(entry: Entry, user: User) -> None:
    """The address that they were invited by, in the invitation and in the events about it."""
    invitations = Invitation.objects.filter(workspace=entry.workspace, accepted_by=user)
    ids = [str(pk) for pk in invitations.values_list("pk", flat=True)]
    for event in Event.objects.filter(workspace=entry.workspace, data__invitation__in=ids):
        Event.objects.filter(pk=event.pk).update(data={**event.data, "email": ""})
    invitations.update(email="")


def _forget_in_data(entry: Entry, actor: Actor) -> None:
    for event in Event.objects.filter(workspace=entry.workspace, type__in=NAMING).iterator():
        data = _without_name(event.data, actor)
        if data != event.data:
            Event.objects.filter(pk=event.pk).update(data=data)


def _without_name(value: Any, actor: Actor) -> Any:
    """The same data, where something names this person with another name: a member, or an actor."""
    if isinstance(value, list):
        return [_without_name(item, actor) for item in value]
    if not isinstance(value, dict):
        return value
    names = str(value.get("user", "")) == actor.id or (value.get("kind"), value.get("id")) == (
        actor.kind,
        actor.id,
    )
    found = {name: _without_name(item, actor) for name, item in value.items()}
    return {**found, "name": ALIAS} if names and "name" in found else found
