"""The two databases, with the options that were measured (docs/adr/0003-one-row-lock.md).

A connection lives for one request or one unit of work: requests each run in a thread of their own under ASGI, where
a kept connection would leak. PostgreSQL takes its connections from a pool instead.
"""

import select
from pathlib import Path
from typing import Any

from dj_database_url import DBConfig
from psycopg import Connection
from psycopg_pool import ConnectionPool

SQLITE_OPTIONS = {
    # A transaction takes SQLite's one write lock as it begins, so that none is refused when it first writes.
    "transaction_mode": "IMMEDIATE",
    # Its waiters have no order: of fifty processes on a machine that is short of time, one waited for more than 20 s.
    "timeout": 60,
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=2000;"
        " PRAGMA mmap_size=134217728; PRAGMA journal_size_limit=27103364"
    ),
}
POSTGRESQL_POOL = {
    "min_size": 1,
    "max_size": 20,
    "timeout": 5,
    # The pool waits twice as long before each attempt to reach a database that is away: after some minutes for
    # minutes, during which it would not see that the database is back. Each request begins anew instead.
    "reconnect_timeout": 5,
}
POSTGRESQL_OPTIONS = {
    "connect_timeout": 5,
    # A database that fell silent is noticed within seconds, and not after hours.
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}
TIME_LIMITS = {"idle_in_transaction_session_timeout": "5s", "lock_timeout": "10s"}
"""A process that is stopped in the middle of a transaction keeps its locks no longer than this, and freezes nobody."""


def django_database(database: DBConfig, *, var: Path, behind_proxy: bool = False) -> DBConfig:
    """An entry of DATABASES; makes the folder `var` when the database is a file in it.

    `behind_proxy`: each transaction may have another session. Then nothing is kept in one between transactions, and
    the time limits are for the role to have (docs/deploying.md).
    """
    if database["ENGINE"] == "django.db.backends.sqlite3":
        if Path(database["NAME"]).parent == var:
            var.mkdir(exist_ok=True)
        return DBConfig(**{**database, "CONN_MAX_AGE": 0, "OPTIONS": SQLITE_OPTIONS})
    pool = POSTGRESQL_POOL if behind_proxy else {**POSTGRESQL_POOL, "check": check_if_it_spoke}
    options: dict[str, Any] = {"pool": pool, **POSTGRESQL_OPTIONS, **database.get("OPTIONS", {})}
    if not behind_proxy:
        options.setdefault("options", " ".join(f"-c {name}={value}" for name, value in TIME_LIMITS.items()))
    entry = DBConfig(**{**database, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": options})
    entry["DISABLE_SERVER_SIDE_CURSORS"] = behind_proxy
    return entry


def check_if_it_spoke(connection: Connection[Any]) -> None:
    """Raises `psycopg.Error` if the connection has broken. Only one on which something came unasked is asked itself.

    A server that ends a session says so, and a closed socket can be read: no round trip is needed to see it.
    """
    idle = select.poll()
    idle.register(connection.fileno(), select.POLLIN)
    if idle.poll(0):
        ConnectionPool.check_connection(connection)
