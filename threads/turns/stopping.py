"""Somebody stops the run. It is a fact of the log, so that stop, steering and notes share one order."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from artifacts.log import Entry
from artifacts.members import actor_of
from threads.core import events, status
from threads.core.rejections import NothingToStop
from threads.models import Run, Thread
from threads.turns.closing import close
from threads.turns.lease import held
from threads.turns.writing import require_writer, write_in_thread


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where the stop stands in the log, and whether the run has ended with it: else its holder ends it at once."""

    seq: int
    ended: bool


def stop(user: User, thread_id: str) -> Stopped:
    """Stop what runs or is paused in a thread. Raises `NotFound`, `Forbidden`, `Archived` or `NothingToStop`."""

    def decide(entry: Entry, thread: Thread) -> Stopped:
        require_writer(user, thread)
        run = thread.run
        if run is None or run.ended:
            raise NothingToStop
        if run.stop_seq is None:
            run.stop_seq = _request(entry, thread, run)
        if held(thread):
            return Stopped(run.stop_seq, ended=False)
        close(entry, thread, run, status.STOPPED)
        return Stopped(run.stop_seq, ended=True)

    return write_in_thread(thread_id, actor_of(user), decide)


def _request(entry: Entry, thread: Thread, run: Run) -> int:
    seq = entry.append(events.STOP_REQUESTED, {"run": str(run.pk)}, thread=str(thread.pk), about=run.seq)
    Run.objects.filter(pk=run.pk).update(stop_seq=seq)
    return seq
