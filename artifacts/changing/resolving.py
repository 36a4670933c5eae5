"""A person decides on somebody else's proposal."""

from typing import TYPE_CHECKING, Any

from artifacts.changing.describing import described
from artifacts.changing.patching import require_version
from artifacts.changing.proposing import require_open, settle
from artifacts.changing.storing import append, open_artifact, store_next
from artifacts.core import events, rules
from artifacts.core.commands import Accept, Reject, RespondToProposal
from artifacts.core.kinds import Kind, kind_named
from artifacts.core.kinds.base import validated
from artifacts.core.outcomes import Resolved
from artifacts.core.patches import WholeData, WholeText, applied
from artifacts.core.rejections import Invalid, OutOfDate
from artifacts.core.text import checked
from artifacts.limits import limits
from artifacts.log import Entry
from artifacts.models import Artifact, Proposal
from artifacts.proposals import Standing, proposed_data, standing

if TYPE_CHECKING:
    from artifacts.handle import Handle

REASON_LIMIT = 10_000


def respond(entry: Entry, handle: "Handle", command: RespondToProposal) -> Resolved:
    """Accept or reject it. The first decision stands."""
    proposal = handle.proposal(command.proposal)
    rules.require_decider(entry.actor, proposal.author)
    require_open(proposal)
    match command.decision:
        case Accept() as accepted:
            return _accept(entry, handle, proposal, accepted)
        case Reject(reason):
            reason = checked("reason", reason, limit=REASON_LIMIT, required=False)
            return _resolved(entry, handle, proposal, Proposal.State.REJECTED, reason=reason)


def _accept(entry: Entry, handle: "Handle", proposal: Proposal, accepted: Accept) -> Resolved:
    """A next version, by the person who accepts, and the decision with what they changed of it."""
    proposal.artifact = artifact = open_artifact(handle, str(proposal.artifact_id))
    if accepted.base is not None:
        require_version(artifact, accepted.base)
    stands = standing(proposal)
    instance = _wanted(artifact, stands, accepted)
    own = _own_changes(proposal, stands, instance) if accepted.changes else {}
    author = {"kind": proposal.actor_kind, "id": proposal.actor_id, "name": proposal.actor_name}
    store_next(
        entry,
        handle,
        artifact,
        instance,
        base=proposal.base,
        summary=proposal.summary,
        proposal=proposal,
        accepted={"proposal": str(proposal.pk), "author": author},
    )
    return _resolved(entry, handle, proposal, Proposal.State.ACCEPTED, changes=own)


def _wanted(artifact: Artifact, stands: Standing, accepted: Accept) -> Kind:
    """What the artifact is to be. Raises `OutOfDate` where neither the proposal nor the person says it."""
    kind, is_whole = kind_named(artifact.kind), isinstance(accepted.changes, WholeText | WholeData)
    if is_whole and accepted.base is None:
        raise Invalid({"base": "Say which version your changes were written for."})
    if stands.data is None and not is_whole:
        raise OutOfDate(stands.why, artifact.version, stands.conflicts)
    start = artifact.data if stands.data is None else stands.data
    if accepted.changes is None:
        return validated(kind, start, limits())
    return applied(accepted.changes, kind, start, limits())


def _own_changes(proposal: Proposal, stands: Standing, instance: Kind) -> dict[str, Any]:
    """What the person changed of what was proposed; empty if nothing."""
    proposed = stands.data if stands.data is not None else proposed_data(proposal)
    return {} if proposed == instance.model_dump(mode="json") else described(instance, proposed or {})


def _resolved(
    entry: Entry,
    handle: "Handle",
    proposal: Proposal,
    state: str,
    *,
    reason: str = "",
    changes: dict[str, Any] | None = None,
) -> Resolved:
    settle(entry, proposal, state, reason=reason, changes=changes)
    artifact = proposal.artifact
    data = {
        "proposal": str(proposal.pk),
        "title": artifact.title,
        "version": artifact.version,
        "state": str(state),
        "reason": reason,
        "summary": proposal.summary,
        "author": {"kind": proposal.actor_kind, "id": proposal.actor_id, "name": proposal.actor_name},
        "own": changes or {},
    }
    seq = append(entry, handle, events.PROPOSAL_RESOLVED, artifact, data, about=proposal.seq)
    return Resolved(str(proposal.pk), str(artifact.pk), artifact.version, str(state), seq)
