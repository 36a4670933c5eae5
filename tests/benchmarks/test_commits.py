"""Commits a second, of a text edit of a document of 2 KB, over the raw driver doing the same logical write.

The same write is: lock the workspace, read the document, replace the passage, write the document, a version with what
changed, an event, and the workspace's head; in one transaction, into the same tables. On PostgreSQL,
both wait for the disk.
"""

import itertools
import json
import sqlite3
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections

from artifacts.core.actors import SYSTEM
from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.patches import Passage
from artifacts.database import _tidily
from artifacts.handle import Handle
from artifacts.models import Workspace
from tests.services import postgresql
from tests.shares import share

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]

AIM = {"sqlite": 12, "postgresql": 3}
TEXT = "A line of forty characters, more or less.\n" * 48

type Place = tuple[str, str]
type Commit = Callable[[Place, str, str], None]


class Raw:
    """The driver alone, a connection for each thread."""

    def __init__(self) -> None:
        self._local = threading.local()
        self.is_sqlite = connection.vendor == "sqlite"

    def connected(self) -> Any:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._sqlite() if self.is_sqlite else self._postgresql()
        return self._local.connection

    def _sqlite(self) -> sqlite3.Connection:
        opened = sqlite3.connect(connection.settings_dict["NAME"], timeout=20, isolation_level=None)
        opened.executescript(
            f"{settings.DATABASES['default']['OPTIONS']['init_command']}; PRAGMA foreign_keys=ON"
        )
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
        return self.connected().execute(statement if self.is_sqlite else statement.replace("?", "%s"), values)

    def commit(self, place: Place, old: str, new: str) -> None:
        workspace, artifact = (uuid.UUID(id).hex if self.is_sqlite else id for id in place)
        at = datetime.now(UTC).isoformat()
        self.run("BEGIN IMMEDIATE" if self.is_sqlite else "BEGIN")
        lock = "" if self.is_sqlite else " FOR UPDATE"
        [head] = self.run(f"SELECT head FROM artifacts_workspace WHERE id = ?{lock}", workspace).fetchone()
        found = self.run("SELECT version, data FROM artifacts_artifact WHERE id = ?", artifact).fetchone()
        version, data = found[0] + 1, json.loads(found[1]) if self.is_sqlite else found[1]
        at_character = data["text"].index(old)
        data["text"] = data["text"].replace(old, new)
        self.run(
            "UPDATE artifacts_artifact SET version = ?, data = ?, changed_by = ?, changed_at = ? WHERE id = ?",
            version, json.dumps(data), "artifactr", at, artifact,
        )  # fmt: skip
        self.run(
            "INSERT INTO artifacts_revision (artifact_id, version, title, whole_version, patch, summary, actor_kind,"
            " actor_id, actor_name, seq, at) VALUES (?, ?, ?, 1, ?, '', 'system', '', ?, ?, ?)",
            artifact, version, "Notes", json.dumps([[at_character, len(old), new]]), "artifactr", head + 1, at,
        )  # fmt: skip
        event = {"title": "Notes", "version": version, "base": 1, "changes": [{"old": old, "new": new}]}
        self.run(
            "INSERT INTO artifacts_event (workspace_id, seq, type, data, actor_kind, actor_id, actor_name, at,"
            " artifact, about) VALUES (?, ?, 'artifact_edited', ?, 'system', '', ?, ?, ?, 1)",
            workspace, head + 1, json.dumps(event), "artifactr", at, artifact,
        )  # fmt: skip
        self.run("UPDATE artifacts_workspace SET head = ? WHERE id = ?", head + 1, workspace)
        self.run("COMMIT")


def text() -> str:
    """A document of 2 KB, with a line for each of twenty callers."""
    return TEXT + "".join(f"<{caller}.0>\n" for caller in range(20))


def ours(place: Place, old: str, new: str) -> None:
    workspace, artifact = place
    edit = EditArtifact(artifact, 1, Passage(old, new))
    _tidily(Handle(workspace, SYSTEM, lambda: None).commit, edit)


def new_place() -> Place:
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
        done()

    threads = [threading.Thread(target=work, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / seconds


@pytest.mark.parametrize(("callers", "places"), [(1, 1), (20, 1), (1, 20), (20, 20)])
def test_commits_over_the_raw_driver(callers: int, places: int) -> None:
    seconds, rounds = share(30, 3) / 10, share(3, 1)
    raw = Raw()
    found: dict[str, list[float]] = {"raw": [], "ours": []}
    with postgresql.durable() if connection.vendor == "postgresql" else nullcontext():
        for _ in range(rounds):
            theirs, mine = ([new_place() for _ in range(places)] for _ in range(2))
            found["raw"].append(commits_a_second(raw.commit, theirs, callers, seconds, raw.close))
            found["ours"].append(commits_a_second(ours, mine, callers, seconds, connections.close_all))
    best, our_best = max(found["raw"]), max(found["ours"])
    print(
        f"{connection.vendor}, {callers} callers, {places} workspaces: raw {best:.0f}/s, ours {our_best:.0f}/s, "
        f"ratio {best / our_best:.1f} (aim {AIM[connection.vendor]})"
    )
    assert our_best > 0
