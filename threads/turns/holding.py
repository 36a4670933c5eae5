"""Claims over time: renewing one's own, and finding the threads that have work and no holder."""

from collections import Counter
from collections.abc import Collection

from django.db.models import Case, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Now

from artifacts.models import Event
from threads.core import events, status
from threads.models import Thread
from threads.turns.lease import lease


def renew(tokens: Collection[str]) -> set[str]:
    """Prolong the claims of these turns, without the workspace's lock; return those that still stand.

    A holder whose token still stands renews, however late: nobody took the thread meanwhile.
    """
    held = Thread.objects.filter(claim__in=list(tokens))
    held.update(claimed_until=lease())
    return {str(token) for token in held.values_list("claim", flat=True)}


def _with_work() -> QuerySet[Thread]:
    """Threads that nobody holds and that have a run to go on with, or a message to take."""
    free = Q(claim=None) | Q(claimed_until=None)
    going_on = Q(run__status__in=(status.RUNNING, status.READY))
    asked = Q(asked_seq__gt=F("taken_seq")) & (Q(run=None) | Q(run__status__in=status.ENDED))
    asked &= Q(archived_at=None)  # a run that was stopped as its thread was archived still has to end
    return Thread.objects.filter(free & (going_on | asked))


def has_work(thread_id: str) -> bool:
    """Whether a claim of this thread is worth a try."""
    return _with_work().filter(pk=thread_id).exists()


def threads_with_work(limit: int = 100) -> list[str]:
    """The threads with work, those first whose turn it is.

    Each workspace in its turn: one with fewer threads at work, here or in other processes, comes first, and within a
    workspace what waits longest.
    """
    rows = _with_work().annotate(since=_waiting_since())
    waiting = [
        (str(pk), workspace) for pk, workspace in rows.order_by("since").values_list("pk", "workspace")
    ]
    if len(waiting) <= 1:
        return [pk for pk, _ in waiting]
    at_work = Thread.objects.filter(
        claimed_until__isnull=False, workspace__in={place for _, place in waiting}
    )
    load = Counter(at_work.values_list("workspace", flat=True))
    turns = []
    for number, (pk, workspace) in enumerate(waiting):
        turns.append((load[workspace], number, pk))
        load[workspace] += 1
    return [pk for *_, pk in sorted(turns)[:limit]]


def _waiting_since() -> Combinable:
    """Since when a thread's work waits: from its run's start if it has one to go on with, else its first message."""
    asked = Event.objects.filter(
        thread=OuterRef("pk"), type=events.MESSAGE_POSTED, seq__gt=OuterRef("taken_seq")
    ).order_by("seq")
    begun = Case(When(run__status__in=(status.RUNNING, status.READY), then=F("run__started_at")))
    return Coalesce(begun, Subquery(asked.values("at")[:1]))


def owners() -> set[str]:
    """Who holds threads now."""
    return set(Thread.objects.exclude(claimed_until=None).values_list("owner", flat=True))


def lapsed() -> set[str]:
    """The tokens of the claims that nobody has renewed in time."""
    rows = Thread.objects.filter(claimed_until__lt=Now())
    return {str(token) for token in rows.values_list("claim", flat=True)}


def give_up(dead: Collection[str] = (), tokens: Collection[str] = ()) -> list[str]:
    """Let others take what these owners held, and what was held by these tokens if it is lapsed still; the threads.

    Their tokens stand until somebody takes the thread: a holder that comes back before that goes on.
    """
    theirs = Q(owner__in=list(dead)) | Q(claim__in=list(tokens), claimed_until__lt=Now())
    rows = Thread.objects.exclude(claimed_until=None).filter(theirs)
    given_up = [str(pk) for pk in rows.values_list("pk", flat=True)]
    rows.update(claimed_until=None)
    return given_up
