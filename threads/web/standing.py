"""How a thread stands: what its agent does, what it waits for, and what a message would do now."""

from dataclasses import dataclass

from django.db.models import Count, Q

from threads.core import decisions, status
from threads.models import Thread
from threads.turns.withdrawing import waiting

WORDS = {status.IDLE: "Idle", status.RUNNING: "Working", status.PAUSED: "Waiting"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What everyone sees of it; it depends on no viewer."""

    thread: str
    title: str
    status: str
    stopping: bool
    questions: int
    approvals: int
    mode: str
    waiting: int = 0
    queued: bool = False
    archived: bool = False

    @property
    def word(self) -> str:
        """What the agent does."""
        if self.stopping:
            return "Stopping"
        return "Waiting to start" if self.queued else WORDS[self.status]

    @property
    def effect(self) -> str:
        """What sending a message would do, if that is anything but starting a run."""
        if self.status == status.RUNNING:
            return "Sending steers the run"
        said = [
            f"{verb} {count} {what}{'s' if count > 1 else ''}"
            for verb, count, what in (
                ("answers", self.questions, "question"),
                ("declines", self.approvals, "approval"),
            )
            if count
        ]
        return f"Sending {', '.join(said)}" if said else ""


def standing(thread: Thread) -> Standing:
    """How the thread stands now."""
    undelivered = len(waiting(thread)) if thread.asked_seq > thread.taken_seq else 0
    questions, approvals = _open(thread)
    return Standing(
        thread=str(thread.pk),
        title=str(thread),
        status=thread.status,
        stopping=thread.status != status.IDLE and thread.run is not None and thread.run.stop_seq is not None,
        questions=questions,
        approvals=approvals,
        mode=thread.mode,
        waiting=undelivered,
        queued=_is_queued(thread, undelivered),
        archived=thread.archived_at is not None,
    )


def _is_queued(thread: Thread, waiting: int) -> bool:
    """Whether the agent has something to do that no process has begun: all may have as much as they take at once."""
    if thread.claim is not None or thread.archived_at is not None:
        return False
    ready = thread.run is not None and thread.run.status == status.READY
    return ready or (thread.status == status.IDLE and waiting > 0)


def _open(thread: Thread) -> tuple[int, int]:
    if thread.run is None or thread.status != status.PAUSED:
        return 0, 0
    counted = thread.run.requests.filter(state=decisions.OPEN).aggregate(
        questions=Count("pk", filter=Q(kind=decisions.QUESTION)),
        approvals=Count("pk", filter=Q(kind=decisions.APPROVAL)),
    )
    return counted["questions"], counted["approvals"]
