"""Claims over time: renewing one's own, and finding the threads that have work and no holder."""

from collections.abc import Collection

from django.db.models import F, Q
from django.db.models.functions import Now

from threads.core import status
from threads.models import Thread
from threads.turns.lease import lease


def renew(tokens: Collection[str]) -> set[str]:
    """Prolong the claims of these turns, without the workspace's lock; return those that still stand.

    A holder whose token still stands renews, however late: nobody took the thread meanwhile.
    """
    held = Thread.objects.filter(claim__in=list(tokens))
    held.update(claimed_until=lease())
    return {str(token) for token in held.values_list("claim", flat=True)}


def threads_with_work(limit: int = 100) -> list[str]:
    """Threads that nobody holds and that have a run to go on with, or a message to take; longest waiting first."""
    free = Q(claim=None) | Q(claimed_until__lt=Now())
    going_on = Q(run__status__in=(status.RUNNING, status.READY))
    asked = Q(asked_seq__gt=F("taken_seq")) & (Q(run=None) | Q(run__status__in=status.ENDED))
    asked &= Q(archived_at=None)  # a run that was stopped as its thread was archived still has to end
    found = Thread.objects.filter(free & (going_on | asked)).order_by("asked_seq")
    return [str(pk) for pk in found.values_list("pk", flat=True)[:limit]]


def owners() -> set[str]:
    """Who holds threads now."""
    return set(
        Thread.objects.exclude(claim=None).filter(claimed_until__gt=Now()).values_list("owner", flat=True)
    )


def give_up(dead: Collection[str]) -> None:
    """Let others take what these owners held. Their tokens stand until somebody does."""
    Thread.objects.filter(owner__in=list(dead), claimed_until__gt=Now()).update(claimed_until=Now())
