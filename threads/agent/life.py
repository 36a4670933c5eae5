"""Who of those that hold threads is still alive: a lock that dies with its process shows a kill within seconds.

SQLite: `flock` on a file beside the database; PostgreSQL: a session's advisory lock on a connection of its own. A lock
that is free proves nothing at once (a connection can be cut, a server restarted): its owner looks after it every second
and takes it again, so only one that is free `LOOKS` times in a row is a dead process' lock. Looks are counted, because
a clock goes on while who looks was stopped. A stopped process keeps its lock; the claim's own time covers that, and it
is all that there is behind a proxy that shares sessions (`NoLocks`).
"""

import fcntl
import hashlib
import os
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any, Protocol

import psycopg
from django.conf import settings
from django.db import OperationalError, connection

LOOKS = 3
RESTART_SECONDS = 10.0


class Locks(Protocol):
    """Locks by owner's name. `keep` takes one's own, or takes it again; `free` says which of others' nobody holds."""

    def keep(self, owner: str) -> None: ...

    def free(self, owners: Collection[str]) -> set[str]: ...

    def release(self) -> None: ...


class Life:
    """Shows that this owner lives, and judges others."""

    def __init__(self, owner: str, locks: Locks | None = None) -> None:
        self.owner = owner
        self._locks = locks or locks_here()
        self._free: Counter[str] = Counter()

    def keep(self) -> None:
        """Hold the lock that shows that we live."""
        self._locks.keep(self.owner)

    def dead_of(self, owners: Collection[str]) -> set[str]:
        """Those whose locks were free each of the last `LOOKS` times that we looked, at least a second apart."""
        free = self._locks.free([owner for owner in owners if owner != self.owner])
        self._free = Counter({owner: self._free[owner] + 1 for owner in free})
        return {owner for owner, looks in self._free.items() if looks >= LOOKS}

    def release(self) -> None:
        """We end in order, and hold nothing any more."""
        self._locks.release()


def locks_here() -> Locks:
    """The locks that this installation's database allows."""
    if connection.vendor == "sqlite":
        return FileLocks()
    return NoLocks() if settings.ARTIFACTR_DATABASE_PROXY else AdvisoryLocks()


class NoLocks:
    """Behind a proxy that gives each transaction another session, no lock dies with its process."""

    def keep(self, owner: str) -> None: ...

    def free(self, owners: Collection[str]) -> set[str]:
        return set()

    def release(self) -> None: ...


class FileLocks:
    """Locks beside a SQLite database. A file is removed by its owner alone: else two could hold locks of one name."""

    def __init__(self) -> None:
        self._folder = Path(connection.settings_dict["NAME"]).with_suffix(".owners")
        self._held: tuple[Path, int] | None = None

    def keep(self, owner: str) -> None:
        if self._held is not None and _is_there(*self._held):
            return
        self.release()
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / _file_name(owner)
        held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(held, fcntl.LOCK_EX)
        self._held = path, held

    def free(self, owners: Collection[str]) -> set[str]:
        return {owner for owner in owners if _is_free(self._folder / _file_name(owner))}

    def release(self) -> None:
        if self._held is not None:
            path, held = self._held
            path.unlink(missing_ok=True)
            os.close(held)
            self._held = None


class AdvisoryLocks:
    """Locks in PostgreSQL, each held by a session that does nothing else."""

    def __init__(self) -> None:
        self._session: psycopg.Connection[tuple[object, ...]] | None = None

    def keep(self, owner: str) -> None:
        try:
            if self._session is None or self._session.closed:
                self._session = psycopg.connect(**_parameters(), autocommit=True)
                self._session.execute("SET statement_timeout = '5s'")
                self._session.execute("SELECT pg_advisory_lock(%s)", [_key(owner)])
            self._session.execute("SELECT 1")
        except psycopg.Error as error:
            self.release()
            raise OperationalError(f"the lock that shows that we live could not be kept: {error}") from error

    def free(self, owners: Collection[str]) -> set[str]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks"
                " WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            )
            held = {int(key) for (key,) in cursor.fetchall()}
            cursor.execute(
                "SELECT now() - pg_postmaster_start_time() < make_interval(secs => %s)", [RESTART_SECONDS]
            )
            restarted = bool(cursor.fetchone()[0])
        # After the server's own start nobody had the time to take their lock again.
        return set() if restarted else {owner for owner in owners if _key(owner) not in held}

    def release(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None


def _parameters() -> dict[str, Any]:
    """How Django connects, without its pool and cursors."""
    parameters = dict(connection.get_connection_params())
    for name in ("pool", "cursor_factory", "context", "prepare_threshold"):
        parameters.pop(name, None)
    return parameters


def _key(owner: str) -> int:
    """A key of 63 bits, positive."""
    return int.from_bytes(hashlib.sha256(owner.encode()).digest()[:8]) >> 1


def _file_name(owner: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in owner)


def _is_there(path: Path, held: int) -> bool:
    """Whether the file that we hold open still has its name: another's lock would be on another file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(held))
    except FileNotFoundError:
        return False


def _is_free(path: Path) -> bool:
    try:
        looked = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(looked, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(looked)
    return True
