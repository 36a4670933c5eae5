"""What can be asked of a workspace's artifacts. `Handle.commit` carries a command out or rejects it.

Each command names what comes of it: `Asked[Applied]` becomes an `Applied`. Ids are made by the server. A caller that
may have to ask twice gives a `command_id` of its own, unique per workspace and actor: asked again with it, the command
is not carried out again, and gets the first outcome. (What was refused changed nothing, and is tried anew.)
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from artifacts.core.outcomes import Applied, Proposed, Recorded, Resolved
from artifacts.core.patches import Patch


@dataclass(frozen=True, slots=True)
class Asked[T]:
    """A command whose outcome is a `T`."""

    command_id: str | None = field(default=None, kw_only=True)

    def as_data(self) -> dict[str, Any]:
        """What is asked for, without the id under which it is."""
        return {"command": type(self).__name__, **asdict(self), "command_id": None}


@dataclass(frozen=True, slots=True)
class CreateArtifact(Asked[Applied]):
    """A new artifact of `kind` with `data`, as version 1."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class EditArtifact(Asked[Applied | Proposed]):
    """A new version of `artifact`. `base` is the version that the patch was written for.

    From an agent that may only suggest, or of a kind whose `write_policy` is `propose`, it becomes a proposal.
    """

    artifact: str
    base: int
    patch: Patch
    summary: str = ""


@dataclass(frozen=True, slots=True)
class RestoreRevision(Asked[Applied | Proposed]):
    """A new version of `artifact` that holds what `version` held. For an agent as `EditArtifact`."""

    artifact: str
    version: int


@dataclass(frozen=True, slots=True)
class ArchiveArtifact(Asked[Applied]):
    """Take `artifact` out of lists. Its history stays."""

    artifact: str


@dataclass(frozen=True, slots=True)
class UnarchiveArtifact(Asked[Applied]):
    """Bring `artifact` back into lists."""

    artifact: str


@dataclass(frozen=True, slots=True)
class PublishArtifact(Asked[Applied]):
    """Make exactly `version` of `artifact` a public, read-only page."""

    artifact: str
    version: int


@dataclass(frozen=True, slots=True)
class UnpublishArtifact(Asked[Applied]):
    """Take a public page away. Its address is never used again."""

    publication: str


@dataclass(frozen=True, slots=True)
class ProposeChange(Asked[Proposed]):
    """A change of `artifact` that waits for a person's decision. It must apply now."""

    artifact: str
    base: int
    patch: Patch
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Accept:
    """Yes: onto the current version. `base` is the version it was shown with, if it has to be that one still.

    `changes` are the person's own on top of what the proposal makes of it; a `WholeText` or `WholeData` stands for all
    of that, and so may settle a proposal that no longer applies by itself: then `base` has to be given.
    """

    base: int | None = None
    changes: Patch | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """No, and why."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class RespondToProposal(Asked[Resolved]):
    """A person's decision on somebody else's proposal."""

    proposal: str
    decision: Accept | Reject


@dataclass(frozen=True, slots=True)
class WithdrawProposal(Asked[Recorded]):
    """The author's own proposal is no longer meant."""

    proposal: str


type Command = (
    CreateArtifact
    | EditArtifact
    | RestoreRevision
    | ArchiveArtifact
    | UnarchiveArtifact
    | PublishArtifact
    | UnpublishArtifact
    | ProposeChange
    | RespondToProposal
    | WithdrawProposal
)
