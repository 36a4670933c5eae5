"""Staff decide what becomes of a draft that its run left behind: an artifact, a proposal, or nothing.

The artifact or the proposal is made by the command that everybody uses, in whose name it is done; the draft is settled
in the same transaction.
"""

from dataclasses import dataclass, field

from django.contrib.auth.models import User

from artifacts.core.commands import CreateArtifact, ProposeChange
from artifacts.core.outcomes import Applied, Outcome, Proposed
from artifacts.core.patches import WholeData
from artifacts.core.rejections import AlreadyDecided, Forbidden, Invalid, NotFound
from artifacts.handle import Handle
from artifacts.log import Entry
from artifacts.members import account_with, actor_of
from threads.core import events
from threads.core.rejections import StillWriting
from threads.models import Draft, Thread
from threads.turns.writing import write_in_thread

SETTLE = "threads.settle_drafts"
SUMMARY = "From a draft that the agent left unfinished"
DECIDED = {
    Draft.State.SUPERSEDED: "committed",
    Draft.State.PUBLISHED: "published",
    Draft.State.DISCARDED: "discarded",
}


def publish_draft(staff: User, draft_id: int) -> Applied:
    """Make an artifact of a draft. Raises `NotFound`, `Forbidden`, `Invalid`, `TooLarge`, `StillWriting` or
    `AlreadyDecided`."""
    draft = _draft(draft_id)
    return _Settling(staff, draft).handle().commit(CreateArtifact(draft.kind, draft.data))


def propose_draft(staff: User, draft_id: int, base: int) -> Proposed:
    """Propose a draft as a change of the artifact that it was for. `base` is the version it was compared with.

    Raises as `publish_draft`, and `VersionConflict` or `Archived`; a draft that was for none is `Invalid`.
    """
    draft = _draft(draft_id)
    if draft.artifact_id is None:
        raise Invalid({"draft": "Was for no artifact that there is. Publish it as a new one."})
    change = ProposeChange(str(draft.artifact_id), base, WholeData(draft.data), SUMMARY)
    return _Settling(staff, draft).handle().commit(change)


def discard_draft(staff: User, draft_id: int) -> int:
    """Let nothing become of a draft; the `seq`. Its text stays in the admin. Raises as `publish_draft`."""
    draft = _draft(draft_id)
    settling = _Settling(staff, draft)

    def decide(entry: Entry, thread: Thread) -> int:
        settling.guard()
        return settling.settle(entry, Draft.State.DISCARDED)

    return write_in_thread(str(draft.thread_id), actor_of(staff), decide)


@dataclass(slots=True)
class _Settling:
    """A draft on the way to what becomes of it."""

    staff: User
    draft: Draft
    now: Draft = field(init=False)

    def handle(self) -> Handle:
        """The staff member's hands on the draft's workspace; they need not belong to it."""
        workspace = str(self.draft.thread.workspace_id)
        return Handle(workspace, actor_of(self.staff), self.guard, then=self._then)

    def guard(self) -> None:
        """Under the lock: may they, and is it still to be decided?"""
        if account_with(self.staff, SETTLE) is None:
            raise Forbidden(f"This needs the permission {SETTLE}. Ask who manages accounts here.")
        self.now = _draft(self.draft.pk)
        if self.now.state == Draft.State.WRITING:
            raise StillWriting
        if self.now.state != Draft.State.LEFT:
            raise AlreadyDecided(self.now.decided_by or "the agent", DECIDED[Draft.State(self.now.state)])

    def settle(self, entry: Entry, state: Draft.State, made: Applied | Proposed | None = None) -> int:
        """Record what became of the draft."""
        draft = self.now
        draft.state, draft.decided_by, draft.decided_at = state, entry.actor.name[:200], entry.at
        if made is not None:
            draft.artifact_id = made.artifact
        draft.save(update_fields=("state", "decided_by", "decided_at", "artifact"))
        data = {
            "run": str(draft.run_id),
            "call": draft.call,
            "title": draft.title,
            "state": str(state),
            "artifact": made.artifact if made else None,
            "proposal": made.proposal if isinstance(made, Proposed) else None,
        }
        return entry.append(events.DRAFT_SETTLED, data, thread=str(draft.thread_id))

    def _then(self, entry: Entry, outcome: Outcome) -> None:
        assert isinstance(outcome, Applied | Proposed)  # what the two commands come to
        self.settle(entry, Draft.State.PUBLISHED, outcome)


def _draft(draft_id: int) -> Draft:
    try:
        return Draft.objects.select_related("thread").get(pk=draft_id)
    except (Draft.DoesNotExist, ValueError):
        raise NotFound("This draft") from None
