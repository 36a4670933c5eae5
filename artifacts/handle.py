"""A handle: what one actor may read and change in one workspace."""

from collections.abc import Callable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from artifacts import changing, log
from artifacts.core import rules
from artifacts.core.actors import Actor
from artifacts.core.commands import Applied, Command
from artifacts.core.rejections import NotFound
from artifacts.members import actor_of, role_of
from artifacts.models import Artifact

type Guard = Callable[[], None]
type Then = Callable[[log.Entry, Applied], None]


def _nothing_more(entry: log.Entry, applied: Applied) -> None:
    """What most handles do after a command."""


@dataclass(frozen=True, slots=True)
class Handle:
    """Bound to a workspace and an actor; `guard` runs under the lock before every command and raises a `Rejection`.

    For a person the guard looks up their role; for an agent it carries its turn's claim. `thread` is the agent's, and
    `then` is done in the transaction of each command, after it.
    """

    workspace: str
    actor: Actor
    guard: Guard
    thread: str | None = None
    then: Then = _nothing_more

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
        try:
            return Artifact.objects.get(workspace_id=self.workspace, pk=artifact_id)
        except (Artifact.DoesNotExist, ValidationError, ValueError):
            raise NotFound(f"The artifact {artifact_id[:60]!r}") from None

    def commit(self, command: Command) -> Applied:
        """Carry out a command in one transaction, or raise a `Rejection` and change nothing."""

        def decide(entry: log.Entry) -> Applied:
            self.guard()
            outcome = changing.carry_out(entry, self, command)
            self.then(entry, outcome)
            return outcome

        return log.write(self.workspace, self.actor, decide)
