"""The rows of a workspace as its log says they are, and as they are."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Model

from artifacts.core.envelope import Envelope
from artifacts.models import Artifact, Invitation, Membership, Proposal, Publication, Revision

type Rows = dict[Any, dict[str, Any]]

STORAGE = ("whole_version", "weight", "digest", "snapshot", "patch")
"""Columns that say how content is stored, of which the log knows nothing."""


@dataclass
class Replayed:
    """The rows as the events alone say they are."""

    members: Rows = field(default_factory=dict)
    artifacts: Rows = field(default_factory=dict)
    revisions: Rows = field(default_factory=dict)
    publications: Rows = field(default_factory=dict)
    invitations: Rows = field(default_factory=dict)
    proposals: Rows = field(default_factory=dict)

    def apply(self, event: Envelope) -> None:
        if "proposal" in event.data:
            self._proposal(event, event.data["proposal"])
        elif event.artifact:
            self._artifact(event, event.artifact)
        elif event.type in ("member_joined", "member_changed", "member_left"):
            self._member(event)
        elif event.type.startswith("invitation"):
            self._invitation(event)
        else:
            assert event.type in (
                "workspace_created",
                "workspace_renamed",
                "workspace_governed",
                "member_anonymised",
            )

    def _member(self, event: Envelope) -> None:
        data = event.data
        match event.type:
            case "member_joined":
                self.members[data["user"]] = {"role": data["role"], "joined_at": event.at}
            case "member_changed":
                self.members[data["user"]]["role"] = data["role"]
            case "member_left":
                del self.members[data["user"]]
            case other:
                raise AssertionError(other)

    def _invitation(self, event: Envelope) -> None:
        data, name = event.data, event.data["invitation"]
        match event.type:
            case "invitation_made":
                whom = {"email": data["email"], "role": data["role"]}
                made = {"seq": event.seq, "made_at": event.at}
                self.invitations[name] = {**whom, **made, "accepted_at": None, "accepted_by": None}
            case "invitation_accepted":
                assert self.invitations[name]["seq"] == event.about
                self.invitations[name] |= {"accepted_by": data["user"], "accepted_at": event.at}
            case "invitation_withdrawn":
                assert self.invitations.pop(name)["seq"] == event.about
            case other:
                raise AssertionError(other)

    def _artifact(self, event: Envelope, name: str) -> None:
        data, changed = event.data, self.artifacts.get(name, {})
        assert changed.get("created_seq") == event.about
        match event.type:
            case "artifact_created":
                self.artifacts[name] = {
                    "kind": data["kind"],
                    "created_seq": event.seq,
                    "created_at": event.at,
                    "archived_at": None,
                }
                self._version(event)
            case "artifact_edited":
                self._version(event)
            case "artifact_archived":
                changed["archived_at"] = event.at
            case "artifact_unarchived":
                changed["archived_at"] = None
            case "artifact_unpublished":
                del self.publications[data["publication"]]
            case "artifact_published":
                self.publications[data["publication"]] = {
                    "revision": (name, data["version"]),
                    "published_by": event.actor.name,
                    "published_at": event.at,
                }
            case other:
                raise AssertionError(other)

    def _proposal(self, event: Envelope, name: str) -> None:
        data = event.data
        if event.type == "change_proposed":
            self.proposals[name] = {
                "artifact": event.artifact,
                "base": data["base"],
                "summary": data["summary"],
                "actor_kind": event.actor.kind,
                "actor_id": event.actor.id,
                "actor_name": event.actor.name,
                "thread": event.thread if event.actor.kind == "agent" else None,
                "state": "open",
                "reason": "",
                "decided_by": "",
                "decided_at": None,
                "changes": {},
                "seq": event.seq,
                "made_at": event.at,
            }
            return
        assert event.about == self.proposals[name]["seq"]
        self.proposals[name] |= {"decided_by": event.actor.name, "decided_at": event.at}
        match event.type:
            case "proposal_resolved":
                resolved = {"state": data["state"], "reason": data["reason"], "changes": data["own"]}
                self.proposals[name] |= resolved
                assert data["version"] == self.artifacts[event.artifact]["version"]
            case "proposal_withdrawn":
                self.proposals[name]["state"] = "withdrawn"
            case other:
                raise AssertionError(other)

    def _version(self, event: Envelope) -> None:
        version, title = event.data["version"], event.data["title"]
        assert version == self.artifacts[event.artifact].get("version", 0) + 1
        self.artifacts[event.artifact] |= {
            "version": version,
            "title": title,
            "changed_by": event.actor.name,
            "changed_at": event.at,
        }
        self.revisions[event.artifact, version] = {
            "title": title,
            "summary": event.data["summary"],
            "proposal": event.data.get("accepted", {}).get("proposal"),
            "actor_kind": event.actor.kind,
            "actor_id": event.actor.id,
            "actor_name": event.actor.name,
            "seq": event.seq,
            "at": event.at,
        }


def stored(workspace: str) -> Replayed:
    """The rows as they are, without content."""
    found = Replayed()
    for member in Membership.objects.filter(workspace_id=workspace):
        found.members[member.user_id] = {"role": member.role, "joined_at": member.joined_at}
    for artifact in Artifact.objects.filter(workspace_id=workspace):
        found.artifacts[str(artifact.pk)] = without(artifact, "id", "workspace", "data", *STORAGE)
    for revision in Revision.objects.filter(artifact__workspace_id=workspace):
        row = without(revision, "id", "artifact", "version", "proposal", *STORAGE)
        row["proposal"] = str(revision.proposal_id) if revision.proposal_id else None
        found.revisions[str(revision.artifact_id), revision.version] = row
    for invitation in Invitation.objects.filter(workspace_id=workspace):
        row = {name: getattr(invitation, name) for name in ("email", "role", "seq", "made_at", "accepted_at")}
        found.invitations[str(invitation.pk)] = {**row, "accepted_by": invitation.accepted_by_id}
    publications = Publication.objects.filter(revision__artifact__workspace_id=workspace)
    for publication in publications.select_related("revision"):
        found.publications[str(publication.pk)] = {
            "revision": (str(publication.revision.artifact_id), publication.revision.version),
            "published_by": publication.published_by,
            "published_at": publication.published_at,
        }
    for proposal in Proposal.objects.filter(artifact__workspace_id=workspace):
        row = without(proposal, "id", "artifact", "patch", "thread")
        thread = str(proposal.thread) if proposal.thread else None
        found.proposals[str(proposal.pk)] = {**row, "artifact": str(proposal.artifact_id), "thread": thread}
    return found


def without(row: Model, *fields: str) -> dict[str, Any]:
    """A row's columns, but for these."""
    names = {field.name for field in row._meta.concrete_fields} - set(fields)
    return {name: getattr(row, name) for name in names}
