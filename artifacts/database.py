"""The one way from async code to the database: whole units of work, in a few threads of their own.

A unit that has begun is waited for even if its caller is cancelled: a commit must never happen after the task that
asked for it believed itself over. The cancellation is raised once the unit is done.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from django.db import InterfaceError, InternalError, OperationalError, close_old_connections, connection

AWAY = (OperationalError, InterfaceError)
"""What says that the database is away, or that its answer was lost."""

CUT_WHILE_IDLE = "25P03"
"""PostgreSQL's word for a session that it cut since it idled in a transaction: its process slept, or was stopped."""

OUTAGE_SECONDS = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 1.0


@cache
def _executor() -> ThreadPoolExecutor:
    threads = 1 if connection.vendor == "sqlite" else 4
    return ThreadPoolExecutor(threads, thread_name_prefix="database")


async def in_database[**P, T](unit: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a synchronous unit of work in a database thread and return what it returns."""
    loop = asyncio.get_running_loop()
    return await unbroken(loop.run_in_executor(_executor(), lambda: _tidily(unit, *args, **kwargs)))


async def unbroken[T](future: asyncio.Future[T]) -> T:
    """Wait until `future` is done, however often the caller is cancelled meanwhile; then cancelled it is."""
    cancelled: asyncio.CancelledError | None = None
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        future.exception()
        raise cancelled
    return future.result()


async def persistently[**P, T](unit: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Like `in_database`, again and again while the database is away, for `OUTAGE_SECONDS`.

    Only for units that write nothing twice: an answer may be lost after its commit.
    """
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + OUTAGE_SECONDS, FIRST_PAUSE
    while True:
        try:
            return await in_database(unit, *args, **kwargs)
        except AWAY:
            if loop.time() + pause > deadline:
                raise
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def is_away(error: BaseException) -> bool:
    """Whether this says that the database is away. A session that was cut while idle is a fault inside to Django."""
    return isinstance(error, AWAY) or getattr(error.__cause__, "sqlstate", None) == CUT_WHILE_IDLE


def _tidily[**P, T](unit: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a unit and hand its connection back to the pool. SQLite's stays open: opening it costs ten times a commit."""
    try:
        return unit(*args, **kwargs)
    except InternalError as error:
        if is_away(error):
            raise OperationalError(str(error)) from error
        raise
    finally:
        if connection.vendor == "sqlite":
            if connection.errors_occurred:
                connection.close()
        else:
            close_old_connections()
