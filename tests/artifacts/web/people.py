"""Alice owns a workspace, Bob belongs to it, Vera only reads there, Rob reviews, and Charlie is a stranger."""

from dataclasses import dataclass

from django.contrib.auth.models import Permission, User
from django.test import Client

from artifacts.core.commands import CreateArtifact, EditArtifact, ProposeChange
from artifacts.core.patches import WholeText
from artifacts.core.rules import EDITOR, VIEWER
from artifacts.handle import Handle
from artifacts.members import add_member
from artifacts.models import Artifact


@dataclass(frozen=True)
class Team:
    workspace: str
    alice: User
    bob: User
    vera: User
    rob: User
    charlie: User


def team() -> Team:
    """The five, in Alice's workspace."""
    names = ("alice", "bob", "vera", "rob", "charlie")
    alice, bob, vera, rob, charlie = (User.objects.create_user(name) for name in names)
    membership = alice.memberships.get()
    workspace = str(membership.workspace_id)
    for user, role in ((bob, EDITOR), (vera, VIEWER), (rob, EDITOR)):
        add_member(alice, workspace, user, role)
    rob.user_permissions.add(Permission.objects.get(codename="decide_approvals"))
    return Team(workspace, alice, bob, vera, User.objects.get(pk=rob.pk), charlie)


def browser(user: User | None = None, *, htmx: bool = False) -> Client:
    """Somebody's browser without JavaScript, or the page's script in it."""
    client = Client(headers={"HX-Request": "true"}) if htmx else Client()
    if user is not None:
        client.force_login(user)
    return client


def document(user: User, workspace: str, text: str = "Green and black.\n", title: str = "Tea") -> Artifact:
    """A document by somebody."""
    data = {"title": title, "text": text}
    applied = Handle.for_user(user, workspace).commit(CreateArtifact("document", data))
    return Artifact.objects.get(pk=applied.artifact)


def plan(user: User, workspace: str) -> Artifact:
    """A plan with two tasks, by somebody."""
    tasks = [
        {"id": "a", "name": "Bake <bread> & cake", "status": "doing"},
        {"id": "b", "name": "Invite", "status": "done", "note": "by letter"},
    ]
    command = CreateArtifact("plan", {"goal": "Picnic", "tasks": tasks})
    return Artifact.objects.get(pk=Handle.for_user(user, workspace).commit(command).artifact)


def edit(user: User, artifact: Artifact, text: str) -> None:
    """Somebody makes the next version of a document."""
    artifact.refresh_from_db()
    command = EditArtifact(str(artifact.pk), base=artifact.version, patch=WholeText(text))
    Handle.for_user(user, str(artifact.workspace_id)).commit(command)


def propose(user: User, artifact: Artifact, text: str, summary: str = "") -> str:
    """Somebody suggests another text; the proposal's id."""
    artifact.refresh_from_db()
    command = ProposeChange(str(artifact.pk), artifact.version, WholeText(text), summary)
    return Handle.for_user(user, str(artifact.workspace_id)).commit(command).proposal
