"""How long a claim holds, by the database's clock: those of processes differ."""

from datetime import timedelta

from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from threads.models import Thread

CLAIM_SECONDS = 15.0


def lease() -> Combinable:
    """When a claim that is made or renewed at this moment lapses."""
    return Now() + timedelta(seconds=CLAIM_SECONDS)


def held(thread: Thread) -> bool:
    """Whether a turn holds the thread, so that nobody else may take it."""
    return thread.claim is not None and Thread.objects.filter(pk=thread.pk, claimed_until__gt=Now()).exists()
