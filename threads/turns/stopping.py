"""Somebody stops the run. It is a fact of the log, so that stop, steering and notes share one order."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from artifacts.core.rejections import Invalid
from artifacts.log import Entry
from artifacts.members import actor_of
from threads.core import events, status
from threads.core.rejections import NothingToStop
from threads.models import Run, Thread
from threads.turns.closing import close
from threads.turns.lease import held
from threads.turns.withdrawing import take_back, waiting
from threads.turns.writing import require_writer, write_in_thread

KEEP, WITHDRAW = "keep", "withdraw"


@dataclass(frozen=True, slots=True)
class Stopped:
    """Where the stop stands in the log, and whether the run has ended with it: else its holder ends it at once.

    `waiting` messages were not given to the agent before it, and start the next run; `withdrawn` do not.
    """

    seq: int
    ended: bool
    waiting: int = 0
    withdrawn: int = 0


def stop(user: User, thread_id: str, messages: str = KEEP) -> Stopped:
    """Stop what runs or is paused in a thread. `messages` that wait are kept (`keep`) or taken back (`withdraw`).

    Raises `NotFound`, `Forbidden`, `Archived`, `Invalid` or `NothingToStop`.
    """

    def decide(entry: Entry, thread: Thread) -> Stopped:
        require_writer(user, thread)
        if messages not in (KEEP, WITHDRAW):
            raise Invalid({"messages": f"Choose {KEEP} or {WITHDRAW}."})
        left = waiting(thread)
        taken = take_back(entry, thread, left) if messages == WITHDRAW else []
        if thread.run is None or thread.run.ended:
            if not taken:
                raise NothingToStop
            return Stopped(taken[-1], ended=True, withdrawn=len(taken))
        seq, ended = halt(entry, thread, thread.run)
        return Stopped(seq, ended, waiting=len(left) - len(taken), withdrawn=len(taken))

    return write_in_thread(thread_id, actor_of(user), decide)


def halt(entry: Entry, thread: Thread, run: Run) -> tuple[int, bool]:
    """Stop a run that has not ended: the `seq` of the stop, and whether the run ended with it."""
    if run.stop_seq is None:
        run.stop_seq = entry.append(
            events.STOP_REQUESTED, {"run": str(run.pk)}, thread=str(thread.pk), about=run.seq
        )
        Run.objects.filter(pk=run.pk).update(stop_seq=run.stop_seq)
    if held(thread):
        return run.stop_seq, False
    close(entry, thread, run, status.STOPPED)
    return run.stop_seq, True
