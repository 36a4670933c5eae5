"""Connections out of the pool are alive, and looking at them costs no round trip."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg_pool import ConnectionPool

from artifactr_site.databases import check_if_it_spoke

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.database,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no pool"),
]

type Sessions = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Sessions]:
    """The connections that were asked whether they live."""
    found: list[Sessions] = []
    ask = ConnectionPool.check_connection

    def seen(session: Sessions) -> None:
        found.append(session)
        ask(session)

    monkeypatch.setattr(ConnectionPool, "check_connection", staticmethod(seen))
    return found


@pytest.fixture
def pool() -> Iterator[ConnectionPool[Sessions]]:
    parameters = connection.get_connection_params()
    kwargs: dict[str, Any] = {"autocommit": True}
    kwargs |= {name: parameters[name] for name in ("host", "port", "user", "dbname") if name in parameters}
    with ConnectionPool(kwargs=kwargs, min_size=1, max_size=1, check=check_if_it_spoke) as pool:
        yield pool


def _backend(pool: ConnectionPool[Sessions]) -> int:
    with pool.connection() as session:
        return session.info.backend_pid


def test_a_quiet_connection_is_not_asked(pool: ConnectionPool[Sessions], asked: list[Sessions]) -> None:
    assert _backend(pool) == _backend(pool)
    assert asked == []


def test_one_that_the_server_ended_is_replaced(pool: ConnectionPool[Sessions], asked: list[Sessions]) -> None:
    before = _backend(pool)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [before])  # returns when it has ended
    assert _backend(pool) != before
    assert len(asked) == 1
