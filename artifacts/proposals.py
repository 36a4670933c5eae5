"""What a proposal makes of the artifact as it is now: so that its page says it before anyone decides.

An exact passage applies where it occurs once. All else is merged, in three ways: what the artifact has become since the
proposal's base, with what the proposal makes of that base.
"""

from dataclasses import dataclass
from typing import Any

from artifacts.core import deltas
from artifacts.core.kinds import Kind, kind_named
from artifacts.core.kinds.base import validated
from artifacts.core.merging import merged_data
from artifacts.core.patches import Passage, applied
from artifacts.core.rejections import PatchFailed, Rejection
from artifacts.limits import limits
from artifacts.models import Artifact, Proposal
from artifacts.reading import data_at


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a proposal applies to the current version: the `data` that it leads to, or in words `why` to none.

    `conflicts` names the fields that were changed meanwhile too.
    """

    data: dict[str, Any] | None
    conflicts: tuple[str, ...] = ()
    why: str = ""

    @property
    def applies(self) -> bool:
        """Whether it can be accepted as it is."""
        return self.data is not None


def standing(proposal: Proposal) -> Standing:
    """How a proposal stands to its artifact, as `proposal.artifact` is loaded."""
    artifact = proposal.artifact
    if artifact.archived_at is not None:
        return Standing(None, why=f"“{artifact.title}” is archived.")
    try:
        return _rebased(proposal, artifact, kind_named(artifact.kind))
    except Rejection as rejection:
        return Standing(None, why=rejection.message)


def proposed_data(proposal: Proposal) -> dict[str, Any] | None:
    """What the proposal makes of its base; None where the base is no longer what it was, as its kind has changed."""
    base = deltas.canonical(data_at(proposal.artifact, proposal.base))
    if deltas.digest(base) != proposal.patch["digest"]:
        return None
    return deltas.rebuilt(base, [proposal.patch["delta"]])


def _rebased(proposal: Proposal, artifact: Artifact, kind: type[Kind]) -> Standing:
    if (passage := proposal.patch.get("passage")) is not None:
        try:
            return Standing(_dumped(applied(Passage(**passage), kind, artifact.data, limits())))
        except PatchFailed:
            pass  # it may be found by what stands around it
    theirs = proposed_data(proposal)
    if theirs is None:
        return Standing(None, why=f"What a {kind.name} holds has changed since.")
    base = data_at(artifact, proposal.base)
    merge = merged_data(kind, base, artifact.data, theirs)
    if merge.data is None:
        return Standing(
            None,
            merge.conflicts,
            f"It was changed meanwhile in the same place ({', '.join(merge.conflicts)}).",
        )
    return Standing(_dumped(validated(kind, merge.data, limits())))


def _dumped(instance: Kind) -> dict[str, Any]:
    data: dict[str, Any] = instance.model_dump(mode="json")
    return data
