"""The run's own PostgreSQL: made in half a second, in the run's folder, reached by a Unix socket, gone with it."""

import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import quote

import psycopg

from tests.services import needed, session


def ensure() -> None:
    """Start the run's cluster unless another worker did."""
    home = session.folder() / "postgresql"
    with session.turn("postgresql"):
        if not (home / "data" / "postmaster.pid").exists():
            make(home)
            start(home)


def create_database(name: str, template: str = "template1") -> str:
    """A new database, as a copy of another; its address."""
    with psycopg.connect(session.database_url("postgresql", "postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY FILE_COPY')
    return session.database_url("postgresql", name)


def make(home: Path) -> None:
    home.mkdir(mode=0o755, exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
    options = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]
    command = [binary("initdb"), "-D", str(home / "data"), *options]
    subprocess.run(command, check=True, capture_output=True, **as_postgres())
    with (home / "data" / "postgresql.conf").open("a") as configuration:
        configuration.write("fsync = off\nfull_page_writes = off\nmax_connections = 200\n")


@contextmanager
def durable() -> Iterator[None]:
    """Commits are on the disk as they return, as they are where data matters."""
    with psycopg.connect(session.database_url("postgresql", "postgres"), autocommit=True) as connection:
        _configure(connection, "SET fsync = on", "on")
        try:
            yield
        finally:
            _configure(connection, "RESET fsync", "off")


def _configure(connection: psycopg.Connection, change: LiteralString, fsync: str) -> None:
    connection.execute(b"ALTER SYSTEM " + change.encode())
    connection.execute("SELECT pg_reload_conf()")
    while connection.execute("SHOW fsync").fetchone() != (fsync,):
        time.sleep(0.02)


def start(home: Path) -> None:
    reach = [f"-cunix_socket_directories={home}", "-clisten_addresses="]
    with (home / "log").open("wb") as log:
        command = [binary("postgres"), "-D", str(home / "data"), *reach]
        session.started(session.detached(command, output=log, **as_postgres()))
    wait(home)


def wait(home: Path, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while True:
        try:
            psycopg.connect(host=str(home), user="postgres", dbname="postgres").close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{(home / 'log').read_text()}") from None
            time.sleep(0.02)


def binary(name: str) -> str:
    return str(needed.postgresql_folder() / name)


def as_postgres() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    return {"user": "postgres", "group": "postgres", "cwd": "/"} if os.geteuid() == 0 else {}


class PostgreSQL:
    """A cluster of a test's own, which can be stopped and started again; `url` is the address of a database in it."""

    def __init__(self, name: str = "artifactr") -> None:
        self.home = session.folder() / f"postgresql-{uuid.uuid4().hex[:8]}"
        self.name = name
        make(self.home)
        self.start()
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')

    @property
    def url(self) -> str:
        return self.address(self.name)

    def address(self, database: str) -> str:
        return f"postgresql://postgres@{quote(str(self.home), safe='')}/{database}"

    def start(self) -> None:
        start(self.home)

    def stop(self) -> None:
        """At once, and in order: sessions are cut."""
        pid = int((self.home / "data" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGINT)
        while (self.home / "data" / "postmaster.pid").exists():
            time.sleep(0.02)
        session.ended(pid)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query.encode(), values).fetchall()
