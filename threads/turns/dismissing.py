"""What goes on for a person is ended, as their account is closed: their runs stop, and what they said and nobody has
taken yet is withdrawn."""

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from artifacts.core.actors import Actor
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Event
from threads.core import events, status
from threads.models import Run, Thread
from threads.turns.stopping import halt
from threads.turns.withdrawing import take_back, waiting
from threads.turns.writing import write_in_thread


def dismiss(by: Actor, user: User) -> int:
    """End all that runs for this person, or is about to; how many runs that were."""

    def decide(entry: Entry, thread: Thread) -> int:
        take_back(entry, thread, _own(thread, user))
        if thread.run is None or thread.run.ended or thread.run.user_id != user.pk:
            return 0
        halt(entry, thread, thread.run)
        return 1

    with transaction.atomic():
        return sum(write_in_thread(thread_id, by, decide) for thread_id in _busy_for(user))


def _busy_for(user: User) -> list[str]:
    """The threads in which something runs for them, or waits to; in the one order in which workspaces are locked."""
    running = Run.objects.filter(user=user).exclude(status__in=status.ENDED)
    said = Event.objects.filter(
        thread=OuterRef("pk"),
        type=events.MESSAGE_POSTED,
        seq__gt=OuterRef("taken_seq"),
        actor_kind=actor_of(user).kind,
        actor_id=actor_of(user).id,
    )
    asks = Q(asked_seq__gt=F("taken_seq")) & Q(Exists(said))
    found = Thread.objects.filter(asks | Q(run__in=running)).order_by("workspace_id", "pk")
    return [str(pk) for pk in found.values_list("pk", flat=True)]


def _own(thread: Thread, user: User) -> list[int]:
    """Their messages that wait."""
    if thread.asked_seq <= thread.taken_seq:
        return []
    own = Event.objects.filter(
        workspace_id=thread.workspace_id,
        seq__in=waiting(thread),
        actor_kind=actor_of(user).kind,
        actor_id=actor_of(user).id,
    )
    return list(own.order_by("seq").values_list("seq", flat=True))
