"""How long a claim holds, by the database's clock: those of processes differ.

A claim that has lapsed is not free yet: its holder may have had no database to renew it in. Who looks after claims
gives it up when it stays lapsed while the database answers (`threads.agent.vigil`); only then may others take it.
"""

from datetime import timedelta

from django.db import connection
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from artifacts.statements import Statement
from threads.models import Thread

CLAIM_SECONDS = 10.0

IN_A_LEASE = {
    "sqlite": f"STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', 'NOW', '+{CLAIM_SECONDS} seconds')",
    "postgresql": f"STATEMENT_TIMESTAMP() + INTERVAL '{CLAIM_SECONDS} seconds'",
}
"""`lease()` as each database says it."""


def lease() -> Combinable:
    """When a claim that is made or renewed at this moment lapses."""
    return Now() + timedelta(seconds=CLAIM_SECONDS)


def lapsing(thread: Thread) -> Statement:
    """Let the claim that is stored beside it lapse when its lease is over."""
    key = Thread._meta.pk.get_db_prep_value(thread.pk, connection)
    lease = IN_A_LEASE[connection.vendor]
    sql = f"UPDATE {Thread._meta.db_table} SET claimed_until = {lease} WHERE id = %s"  # noqa: S608 (words of ours)
    return Statement(sql, [key])


def held(thread: Thread) -> bool:
    """Whether a turn holds the thread, so that nobody else may take it."""
    return thread.claim is not None and thread.claimed_until is not None
