"""The two databases, with the options that were measured (docs/adr/0003-one-row-lock.md).

A connection lives for one request or one unit of work: requests each run in a thread of their own under ASGI, where
a kept connection would leak. PostgreSQL takes its connections from a pool instead.
"""

from pathlib import Path

from dj_database_url import DBConfig

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
POSTGRESQL_POOL = {"min_size": 1, "max_size": 20, "timeout": 5}


def django_database(database: DBConfig, *, var: Path) -> DBConfig:
    """An entry of DATABASES; makes the folder `var` when the database is a file in it."""
    if database["ENGINE"] == "django.db.backends.sqlite3":
        if Path(database["NAME"]).parent == var:
            var.mkdir(exist_ok=True)
        return DBConfig(**{**database, "CONN_MAX_AGE": 0, "OPTIONS": SQLITE_OPTIONS})
    options = {"pool": POSTGRESQL_POOL, "connect_timeout": 5, **database.get("OPTIONS", {})}
    return DBConfig(**{**database, "CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "OPTIONS": options})
