"""A handle: what one actor may read and change in one workspace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from artifacts import changing, log
from artifacts.changing import repeating
from artifacts.core import rules
from artifacts.core.actors import Actor
from artifacts.core.commands import Asked
from artifacts.core.kinds import kinds
from artifacts.core.outcomes import Outcome
from artifacts.core.rejections import Forbidden, NotFound
from artifacts.members import actor_of, role_of
from artifacts.models import Artifact, Proposal
from artifacts.prepared import Prepared, given_id

ARTIFACT = Prepared(
    lambda: Artifact.objects.filter(pk=given_id("artifact"), workspace=given_id("workspace")).order_by()
)

type Guard = Callable[[], None]
type Then = Callable[[log.Entry, Outcome], None]


def _nothing_more(entry: log.Entry, outcome: Outcome) -> None:
    """What most handles do after a command."""


def _writes() -> bool:
    """Most handles write, and do not only suggest."""
    return False


@dataclass(frozen=True, slots=True)
class Handle:
    """Bound to a workspace and an actor; `guard` runs under the lock before every command and raises a `Rejection`.

    For a person the guard looks up their role; for an agent it carries its turn's claim. `thread` is the agent's, and
    `then` is done in the transaction of each command, after it. `suggests`, asked under the lock too, says whether the
    agent may only propose.
    """

    workspace: str
    actor: Actor
    guard: Guard
    thread: str | None = None
    then: Then = _nothing_more
    suggests: Callable[[], bool] = _writes

    @classmethod
    def for_user(cls, user: User, workspace_id: str) -> "Handle":
        """A person's handle. Raises `NotFound` for a stranger."""
        rules.require_member(role_of(user.pk, workspace_id))
        return cls(workspace_id, actor_of(user), lambda: rules.require_editor(role_of(user.pk, workspace_id)))

    def list(self) -> QuerySet[Artifact]:
        """The artifacts that are not archived, the last changed first."""
        return Artifact.objects.filter(workspace_id=self.workspace, archived_at=None)

    def get(self, artifact_id: str) -> Artifact:
        """One artifact, archived ones too. Raises `NotFound`."""
        found = ARTIFACT.first_if_any(workspace=self.workspace, artifact=artifact_id)
        if found is None:
            raise NotFound(f"The artifact {artifact_id[:60]!r}")
        return found

    def proposals(self, artifact_id: str | None = None) -> QuerySet[Proposal]:
        """The proposals of the workspace, or of one artifact, decided ones too, the newest first. Raises `NotFound`."""
        if artifact_id is not None:
            return self.get(artifact_id).proposals.all()
        rows = Proposal.objects.filter(artifact__workspace_id=self.workspace).select_related("artifact")
        return rows.defer("patch", "artifact__data")

    def proposal(self, proposal_id: str) -> Proposal:
        """One proposal, with its artifact. Raises `NotFound`."""
        rows = Proposal.objects.select_related("artifact")
        try:
            return rows.get(artifact__workspace_id=self.workspace, pk=proposal_id)
        except (Proposal.DoesNotExist, ValidationError, ValueError):
            raise NotFound(f"The proposal {proposal_id[:60]!r}") from None

    def proposes(self, kind: str) -> bool:
        """Whether what this actor changes in artifacts of a kind becomes a proposal."""
        known = kinds().get(kind)
        policy = known.write_policy if known else "direct"
        return self.actor.kind in rules.AGENTS and (policy == "propose" or self.suggests())

    def require_direct(self, kind: str, what: str) -> None:
        """Raises `Forbidden` to who may only propose, where what they want cannot be proposed."""
        if self.proposes(kind):
            raise Forbidden(f"You only make suggestions here, and cannot {what}. Ask a person to do it.")

    def commit[T](self, command: Asked[T]) -> T:
        """Carry out a command in one transaction, or raise a `Rejection` and change nothing."""

        def decide(entry: log.Entry) -> T:
            self.guard()
            if (answered := repeating.earlier(entry, command)) is not None:
                return cast(T, answered)
            outcome = changing.carry_out(entry, self, command)
            self.then(entry, cast(Outcome, outcome))
            repeating.remember(entry, command, cast(Outcome, outcome))
            return outcome

        return log.write(self.workspace, self.actor, decide)
