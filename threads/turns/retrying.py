"""Somebody has a run that failed or was stopped tried again: a new run goes on from the stored history.

The prompt is not repeated: it is in the history, and so is what was done about it. The claim adds a mark that asks to
go on.
"""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from artifacts.core.rejections import NotFound
from artifacts.log import Entry
from artifacts.members import actor_of
from threads.core import events, status
from threads.core.limits import LIMIT_CODE, added
from threads.core.rejections import NothingToRetry
from threads.models import Run, Thread
from threads.turns.allowing import require_pace, require_run
from threads.turns.writing import require_writer, write_in_thread

RETRY = "retry"


@dataclass(frozen=True, slots=True)
class Retried:
    """Where it stands in the log, and the new run, which acts for whoever asked for it."""

    seq: int
    run: str


def retry(user: User, run_id: str) -> Retried:
    """Try a run again. Raises `NotFound`, `Forbidden`, `Archived`, `NothingToRetry`, `TooManyMessages`,
    `TooManyRuns` or `DayUsedUp`."""

    def decide(entry: Entry, thread: Thread) -> Retried:
        require_writer(user, thread)
        require_pace(user, entry.at)
        return try_again(entry, thread, failed, user)

    failed = run_named(run_id)
    return write_in_thread(str(failed.thread_id), actor_of(user), decide)


def try_again(entry: Entry, thread: Thread, failed: Run, user: User) -> Retried:
    """Within a write of somebody who may: another run for `user`, ready to begin."""
    if not may_retry(thread) or thread.run_id != failed.pk:
        raise NothingToRetry
    require_run(user, thread, entry.at)
    run = Run(id=uuid.uuid4(), thread=thread, user=user, trigger=RETRY, started_at=entry.at)
    run.status = status.READY
    run.before = added(failed.before, failed.usage)
    data = {"run": str(run.pk), "of": str(failed.pk)}
    run.seq = entry.append(events.RETRY_REQUESTED, data, thread=str(thread.pk))
    run.save(force_insert=True)
    Thread.objects.filter(pk=thread.pk).update(run=run, changed_at=entry.at)
    return Retried(run.seq, str(run.pk))


def may_retry(thread: Thread) -> bool:
    """Whether the thread's last run ended before its work was done. One that used what it may needs a new message."""
    run = thread.run
    return run is not None and run.status in (status.STOPPED, status.FAILED) and run.code != LIMIT_CODE


def run_named(run_id: str) -> Run:
    """The run with this id, and whom it acts for. Raises `NotFound`."""
    try:
        return Run.objects.select_related("user").get(pk=run_id)
    except (Run.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This run") from None
