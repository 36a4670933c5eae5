"""Staff look after the runs of others, without being members: they stop one, or have one tried again for its person."""

from django.contrib.auth.models import User

from artifacts.core import rules
from artifacts.core.rejections import Archived, Forbidden
from artifacts.log import Entry
from artifacts.members import account_with, actor_of, role_of
from threads.core.rejections import NothingToStop
from threads.models import Run, Thread
from threads.turns.retrying import Retried, run_named, try_again
from threads.turns.stopping import Stopped, halt
from threads.turns.withdrawing import waiting
from threads.turns.writing import write_in_thread

SUPERVISE = "threads.stop_runs"


def stop_run(staff: User, run_id: str) -> Stopped:
    """Stop this run, if it has not ended. Raises `NotFound`, `Forbidden` or `NothingToStop`."""

    def decide(entry: Entry, thread: Thread) -> Stopped:
        _require_supervisor(staff)
        if thread.run is None or thread.run.pk != run.pk or thread.run.ended:
            raise NothingToStop
        seq, ended = halt(entry, thread, thread.run)
        return Stopped(seq, ended, waiting=len(waiting(thread)))

    run = run_named(run_id)
    return write_in_thread(str(run.thread_id), actor_of(staff), decide)


def retry_run(staff: User, run_id: str) -> Retried:
    """Have a run tried again for whom it acted, who must be an editor here still.

    Raises `NotFound`, `Forbidden`, `Archived`, `NothingToRetry`, `TooManyRuns` or `DayUsedUp`.
    """

    def decide(entry: Entry, thread: Thread) -> Retried:
        _require_supervisor(staff)
        _require_editor(run, thread)
        if thread.archived_at is not None:
            raise Archived("This thread")
        assert run.user is not None  # an editor
        return try_again(entry, thread, run, run.user)

    run = run_named(run_id)
    return write_in_thread(str(run.thread_id), actor_of(staff), decide)


def _require_supervisor(staff: User) -> None:
    if account_with(staff, SUPERVISE) is None:
        raise Forbidden(f"This needs the permission {SUPERVISE}. Ask who manages accounts here.")


def _require_editor(run: Run, thread: Thread) -> None:
    role = role_of(run.user_id, str(thread.workspace_id)) if run.user_id is not None else None
    if role in (None, rules.VIEWER):
        raise Forbidden(
            "Whom this run acted for may no longer write here: it cannot be tried again for them."
        )
