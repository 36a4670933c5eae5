"""How long a claim holds, by the database's clock: those of processes differ.

A claim that has lapsed is not free yet: its holder may have had no database to renew it in. Who looks after claims
gives it up when it stays lapsed while the database answers (`threads.agent.vigil`); only then may others take it.
"""

from datetime import timedelta

from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from threads.models import Thread

CLAIM_SECONDS = 10.0


def lease() -> Combinable:
    """When a claim that is made or renewed at this moment lapses."""
    return Now() + timedelta(seconds=CLAIM_SECONDS)


def held(thread: Thread) -> bool:
    """Whether a turn holds the thread, so that nobody else may take it."""
    return thread.claim is not None and thread.claimed_until is not None
