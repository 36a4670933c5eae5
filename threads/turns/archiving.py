"""A thread goes out of lists, and comes back. What went on in it is over, in the same transaction.

A run that nobody holds ends with it, and its requests are closed. One that some process holds is stopped, as by any
stop: its holder ends it at once, with what was written so far. Either way nothing new begins in an archived thread.
"""

from dataclasses import dataclass

from django.contrib.auth.models import User

from artifacts.core import rules
from artifacts.log import Entry
from artifacts.members import actor_of, role_of
from threads.core import events
from threads.models import Thread
from threads.turns.stopping import halt
from threads.turns.withdrawing import take_back, waiting
from threads.turns.writing import require_writer, write_in_thread


@dataclass(frozen=True, slots=True)
class Archived:
    """Where it stands in the log, whether nothing runs any more, and how many waiting messages were withdrawn."""

    seq: int
    ended: bool
    withdrawn: int


def archive(user: User, thread_id: str) -> Archived:
    """Stop the run, withdraw what waits and archive the thread. Raises `NotFound`, `Forbidden` or `Archived`."""

    def decide(entry: Entry, thread: Thread) -> Archived:
        require_writer(user, thread)
        withdrawn = take_back(entry, thread, waiting(thread))
        run = thread.run
        ended = run is None or run.ended or halt(entry, thread, run)[1]
        Thread.objects.filter(pk=thread.pk).update(archived_at=entry.at)
        seq = entry.append(events.THREAD_ARCHIVED, {}, thread=str(thread.pk))
        return Archived(seq, ended, len(withdrawn))

    return write_in_thread(thread_id, actor_of(user), decide)


def unarchive(user: User, thread_id: str) -> int:
    """Bring a thread back, if it is archived; return the `seq`. Raises `NotFound` or `Forbidden`."""

    def decide(entry: Entry, thread: Thread) -> int:
        rules.require_editor(role_of(user.pk, str(thread.workspace_id)))
        if thread.archived_at is None:
            return entry.head
        Thread.objects.filter(pk=thread.pk).update(archived_at=None)
        return entry.append(events.THREAD_UNARCHIVED, {}, thread=str(thread.pk))

    return write_in_thread(thread_id, actor_of(user), decide)
