"""Empties the database after a test that commits.

Django's own way, `flush`, makes each table anew and then the rows that a migrated database begins with: a tenth of a
second on PostgreSQL. Deleting what a test wrote, and leaving the first rows where nobody touched them, takes a few
milliseconds.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.test import TransactionTestCase

FIRST = ("django_content_type", "auth_permission", "auth_group", "auth_group_permissions")
"""The tables that hold what a migrated database begins with."""

MANY = 2_000
"""Rows that PostgreSQL would drag along as dead ones: tables that had so many are made anew."""

_first: dict[str, list[Any]] = {}


def install() -> None:
    """From now on, for every test of this process."""
    TransactionTestCase._fixture_teardown = _emptying(TransactionTestCase._fixture_teardown)  # type: ignore[attr-defined]


def _emptying(flush: Callable[[TransactionTestCase], None]) -> Callable[[TransactionTestCase], None]:
    def emptied(test: TransactionTestCase) -> None:
        if not _first or _deleted() > MANY or _rows() != _first:
            flush(test)
            _first.update(_rows())

    return emptied


def _deleted() -> int:
    """Delete what can only come from a test; how many rows that were."""
    with transaction.atomic(), connection.cursor() as cursor:
        return sum(_deleted_from(cursor, name) for name in _written())


@cache
def _written() -> list[str]:
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(names) - set(FIRST))


def _deleted_from(cursor: Any, table: str) -> int:
    cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")
    return int(cursor.rowcount)


def _rows() -> dict[str, list[Any]]:
    with connection.cursor() as cursor:
        return {table: _rows_of(cursor, table) for table in FIRST}


def _rows_of(cursor: Any, table: str) -> list[Any]:
    cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} ORDER BY id")
    return list(cursor.fetchall())
