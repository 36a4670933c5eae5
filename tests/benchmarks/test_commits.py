"""Commits a second, of a text edit of a document of 2 KB, over the raw driver doing the same logical write.

The same write is: lock the workspace, read the document, replace the passage, write the document, a version with what
changed, an event, and the workspace's head; in one transaction, with the same indexes and the same durability.
"""

import itertools
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import close_old_connections, connection, connections

from artifacts.core.actors import SYSTEM
from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.patches import Passage
from artifacts.handle import Handle
from artifacts.models import Workspace
from tests.services import session
from tests.shares import share

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]

AIM = {"sqlite": 12, "postgresql": 3}
TEXT = "A line of forty characters, more or less.\n" * 48

SCHEMA = """
CREATE TABLE raw_workspace (id TEXT PRIMARY KEY, head BIGINT NOT NULL);
CREATE TABLE raw_artifact (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, version BIGINT NOT NULL, data {json} NOT NULL,
    changed_by TEXT NOT NULL, changed_at {time} NOT NULL);
CREATE INDEX raw_newest ON raw_artifact (workspace, changed_at);
CREATE TABLE raw_revision (id {serial}, artifact TEXT NOT NULL, version BIGINT NOT NULL, patch {json} NOT NULL,
    actor TEXT NOT NULL, seq BIGINT NOT NULL, at {time} NOT NULL, UNIQUE (artifact, version));
CREATE TABLE raw_event (id {serial}, workspace TEXT NOT NULL, seq BIGINT NOT NULL, type TEXT NOT NULL,
    data {json} NOT NULL, actor TEXT NOT NULL, at {time} NOT NULL, thread TEXT, artifact TEXT, about BIGINT, key TEXT,
    UNIQUE (workspace, seq), UNIQUE (workspace, key));
CREATE INDEX raw_thread ON raw_event (thread, seq);
CREATE INDEX raw_about ON raw_event (workspace, about);
CREATE INDEX raw_of ON raw_event (artifact, seq);
CREATE INDEX raw_type ON raw_event (workspace, type, seq)
"""
TYPES = {
    "sqlite": {"json": "TEXT", "time": "TEXT", "serial": "INTEGER PRIMARY KEY AUTOINCREMENT"},
    "postgresql": {"json": "JSONB", "time": "TIMESTAMPTZ", "serial": "BIGSERIAL PRIMARY KEY"},
}

type Place = tuple[str, str]
type Commit = Callable[[Place, str, str], None]


class Raw:
    """The driver alone, a connection for each thread."""

    def __init__(self) -> None:
        self._local = threading.local()
        self.mark = "?" if connection.vendor == "sqlite" else "%s"
        self.lock = "" if connection.vendor == "sqlite" else " FOR UPDATE"
        self.path = str(session.folder() / f"raw-{uuid.uuid4().hex}.sqlite3")

    def connected(self) -> Any:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._sqlite() if connection.vendor == "sqlite" else self._postgresql()
        return self._local.connection

    def _sqlite(self) -> sqlite3.Connection:
        opened = sqlite3.connect(self.path, timeout=20, isolation_level=None)
        opened.executescript(str(settings.DATABASES["default"]["OPTIONS"]["init_command"]))
        return opened

    def _postgresql(self) -> Any:
        values = connection.settings_dict
        names = {"dbname": "NAME", "host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD"}
        given = {name: values[key] for name, key in names.items() if values.get(key)}
        return psycopg.connect(**given, autocommit=True)

    def close(self) -> None:
        self.connected().close()
        del self._local.connection

    def run(self, statement: str, *values: Any) -> Any:
        return self.connected().execute(statement.replace("?", self.mark), values)

    def commit(self, place: Place, old: str, new: str) -> None:
        workspace, artifact = place
        at = datetime.now(UTC).isoformat()
        self.run("BEGIN IMMEDIATE" if self.mark == "?" else "BEGIN")
        [head] = self.run(f"SELECT head FROM raw_workspace WHERE id = ?{self.lock}", workspace).fetchone()
        version, stored = self.run("SELECT version, data FROM raw_artifact WHERE id = ?", artifact).fetchone()
        data = json.loads(stored) if isinstance(stored, str) else stored
        place_of = data["text"].index(old)
        data["text"] = data["text"].replace(old, new)
        version, seq = version + 1, head + 1
        self.run(
            "UPDATE raw_artifact SET version = ?, data = ?, changed_by = ?, changed_at = ? WHERE id = ?",
            version, json.dumps(data), "artifactr", at, artifact,
        )  # fmt: skip
        patch = json.dumps([[place_of, len(old), new]])
        self.run(
            "INSERT INTO raw_revision (artifact, version, patch, actor, seq, at) VALUES (?, ?, ?, ?, ?, ?)",
            artifact, version, patch, "artifactr", seq, at,
        )  # fmt: skip
        event = json.dumps(
            {"title": "Notes", "version": version, "base": 1, "changes": [{"old": old, "new": new}]}
        )
        self.run(
            "INSERT INTO raw_event (workspace, seq, type, data, actor, at, artifact, about)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            workspace, seq, "artifact_edited", event, "artifactr", at, artifact, 1,
        )  # fmt: skip
        self.run("UPDATE raw_workspace SET head = ? WHERE id = ?", seq, workspace)
        self.run("COMMIT")

    def place(self) -> Place:
        workspace, artifact = uuid.uuid4().hex, uuid.uuid4().hex
        self.run("INSERT INTO raw_workspace VALUES (?, 1)", workspace)
        data = json.dumps({"title": "Notes", "text": text()})
        at = datetime.now(UTC).isoformat()
        self.run(
            "INSERT INTO raw_artifact VALUES (?, ?, 1, ?, ?, ?)", artifact, workspace, data, "artifactr", at
        )
        return workspace, artifact


@contextmanager
def raw_driver() -> Iterator[Raw]:
    raw = Raw()
    for statement in SCHEMA.format(**TYPES[connection.vendor]).split(";"):
        raw.run(statement)
    yield raw
    for name in ("workspace", "artifact", "revision", "event"):
        raw.run(f"DROP TABLE raw_{name}")
    raw.close()


def text() -> str:
    """A document of 2 KB, with a line for each of twenty callers."""
    return TEXT + "".join(f"<{caller}.0>\n" for caller in range(20))


def ours(place: Place, old: str, new: str) -> None:
    workspace, artifact = place
    Handle(workspace, SYSTEM, lambda: None).commit(EditArtifact(artifact, 1, Passage(old, new)))


def our_place() -> Place:
    workspace = str(Workspace.objects.create(name="Place").pk)
    created = CreateArtifact("document", {"title": "Notes", "text": text()})
    return workspace, Handle(workspace, SYSTEM, lambda: None).commit(created).artifact


def commits_a_second(
    commit: Commit, places: list[Place], callers: int, seconds: float, done: Callable[[], object]
) -> float:
    """By so many threads, each of which changes its own line again and again."""
    counts = [0] * callers
    together = threading.Barrier(callers)

    def work(caller: int) -> None:
        together.wait()
        until = time.perf_counter() + seconds
        for number in itertools.count():
            if time.perf_counter() > until:
                break
            commit(places[caller % len(places)], f"<{caller}.{number}>", f"<{caller}.{number + 1}>")
            counts[caller] += 1
            close_old_connections()
        done()

    threads = [threading.Thread(target=work, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


@pytest.mark.parametrize(("callers", "places"), [(1, 1), (20, 1), (1, 20), (20, 20)])
def test_commits_over_the_raw_driver(callers: int, places: int) -> None:
    seconds, rounds = share(30, 3) / 10, 2
    with raw_driver() as raw:
        found: dict[str, list[float]] = {"raw": [], "ours": []}
        for _ in range(rounds):
            theirs, mine = [raw.place() for _ in range(places)], [our_place() for _ in range(places)]
            found["raw"].append(commits_a_second(raw.commit, theirs, callers, seconds, raw.close))
            found["ours"].append(commits_a_second(ours, mine, callers, seconds, connections.close_all))
    best, our_best = max(found["raw"]), max(found["ours"])
    print(
        f"{connection.vendor}, {callers} callers, {places} workspaces: raw {best:.0f}/s, ours {our_best:.0f}/s, "
        f"ratio {best / our_best:.1f} (aim {AIM[connection.vendor]})"
    )
    assert our_best > 0
