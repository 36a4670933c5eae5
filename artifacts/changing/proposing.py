"""A change that waits for a decision, and its author's second thoughts."""

import uuid
from typing import TYPE_CHECKING, Any

from artifacts.changing.describing import described
from artifacts.changing.patching import asked_for
from artifacts.changing.storing import append, open_artifact
from artifacts.core import deltas, events, rules
from artifacts.core.commands import ProposeChange, WithdrawProposal
from artifacts.core.kinds import Kind
from artifacts.core.outcomes import Proposed, Recorded
from artifacts.core.patches import Passage, Patch
from artifacts.core.rejections import AlreadyDecided, Invalid
from artifacts.log import Entry
from artifacts.models import Artifact, Proposal

if TYPE_CHECKING:
    from artifacts.handle import Handle


def propose_change(entry: Entry, handle: "Handle", command: ProposeChange) -> Proposed:
    """A proposal, which applies at this moment."""
    artifact = open_artifact(handle, command.artifact)
    instance, summary = asked_for(artifact, command)
    return propose(entry, handle, artifact, instance, summary, command.patch)


def propose(
    entry: Entry,
    handle: "Handle",
    artifact: Artifact,
    instance: Kind,
    summary: str,
    patch: Patch | None = None,
) -> Proposed:
    """A proposal that makes `instance` of the artifact as it is now. Raises `Invalid` where that changes nothing."""
    stored = _stored(artifact, instance, patch)
    if not stored["delta"]:
        raise Invalid({"patch": "Changes nothing. Propose something else than what is there."})
    proposal = Proposal(
        id=uuid.uuid4(),
        artifact=artifact,
        base=artifact.version,
        patch=stored,
        summary=summary,
        actor_kind=entry.actor.kind,
        actor_id=entry.actor.id,
        actor_name=entry.actor.name[:200],
        thread=handle.thread,
        seq=entry.head + len(entry.events) + 1,
        made_at=entry.at,
    )
    proposal.save(force_insert=True)
    data = {
        "proposal": str(proposal.pk),
        "title": artifact.title,
        "base": artifact.version,
        "summary": summary,
        **described(instance, artifact.data),
    }
    artifact_id = str(artifact.pk)
    seq = entry.append(events.CHANGE_PROPOSED, data, thread=handle.thread, artifact=artifact_id)
    return Proposed(str(proposal.pk), artifact_id, seq, artifact.title)


def withdraw(entry: Entry, handle: "Handle", command: WithdrawProposal) -> Recorded:
    """The author's own proposal is no longer meant."""
    proposal = handle.proposal(command.proposal)
    rules.require_author(entry.actor, proposal.author)
    require_open(proposal)
    settle(entry, proposal, Proposal.State.WITHDRAWN)
    data = {"proposal": str(proposal.pk), "title": proposal.artifact.title}
    return Recorded(
        append(entry, handle, events.PROPOSAL_WITHDRAWN, proposal.artifact, data, about=proposal.seq)
    )


def require_open(proposal: Proposal) -> None:
    """Raises `AlreadyDecided`, which says by whom."""
    if proposal.state != Proposal.State.OPEN:
        raise AlreadyDecided(proposal.decided_by, proposal.state)


def settle(
    entry: Entry, proposal: Proposal, state: str, *, reason: str = "", changes: dict[str, Any] | None = None
) -> None:
    """The proposal's row, decided."""
    proposal.state, proposal.reason, proposal.changes = state, reason, changes or {}
    proposal.decided_by, proposal.decided_at = entry.actor.name[:200], entry.at
    proposal.save(update_fields=["state", "reason", "changes", "decided_by", "decided_at"])


def _stored(artifact: Artifact, instance: Kind, patch: Patch | None) -> dict[str, Any]:
    """The change as its row keeps it: as a delta of the base, and as a passage if it is one."""
    before, after = deltas.canonical(artifact.data), deltas.canonical(instance.model_dump(mode="json"))
    stored: dict[str, Any] = {"delta": deltas.delta(before, after), "digest": deltas.digest(before)}
    if isinstance(patch, Passage):
        stored["passage"] = {"old": patch.old, "new": patch.new}
    return stored
