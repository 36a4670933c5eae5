"""What a history takes: 1,000 edits of a document of a mebibyte stay under 60 MiB, and every version is there."""

import time

import pytest
from django.contrib.auth.models import User
from django.db import connection

from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.deltas import DELTAS_LIMIT
from artifacts.core.patches import Passage, WholeText
from artifacts.handle import Handle
from artifacts.models import Revision
from artifacts.reading import data_at
from tests.artifacts.people import person, workspace_of
from tests.shares import share

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]

MIB = 2**20
LINES = 13_300


@pytest.fixture
def alice() -> User:
    return person("Alice")


def test_a_thousand_edits_of_a_mebibyte_stay_small_and_every_version_is_rebuilt(alice: User) -> None:
    edits = share(1_000, 40)
    handle = Handle.for_user(alice, workspace_of(alice))
    lines = [
        f"Line {number}, of which there are many, says what it says in some more words.\n"
        for number in range(LINES)
    ]
    text = "".join(lines)
    artifact = handle.commit(CreateArtifact("document", {"title": "Long", "text": text})).artifact
    assert len(text) > 0.9 * MIB
    began, before = time.perf_counter(), size()
    kept = {}
    for number in range(edits):
        old, place = lines[number * 7 % LINES], number * 7 % LINES
        lines[place] = f"{old.rstrip()} Edit {number}.\n"
        if number % 3:
            patch: Passage | WholeText = Passage(old, lines[place])
        else:  # as the page's form does, and with another change far away
            lines[-1 - place] = f"Changed by edit {number}.\n"
            patch = WholeText("".join(lines))
        handle.commit(EditArtifact(artifact, number + 1, patch))
        if number % 97 == 0:
            kept[number] = (number + 2, "".join(lines))
    seconds, grown = time.perf_counter() - began, size() - before
    print(
        f"{connection.vendor}: {edits} edits of {len(text) / MIB:.2f} MiB take {grown / MIB:.1f} MiB, {seconds:.0f} s"
    )
    assert grown < 60 * MIB * edits / 1_000 + 3 * MIB
    row = handle.get(artifact)
    began = time.perf_counter()
    for version, wanted in kept.values():
        assert data_at(row, version)["text"] == wanted
    print(f"a version is rebuilt in {(time.perf_counter() - began) / len(kept) * 1000:.0f} ms")
    assert Revision.objects.filter(artifact=row, snapshot__isnull=False).count() <= edits / DELTAS_LIMIT + 2


def size() -> int:
    """Bytes that the database's rows take."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            pages = [
                cursor.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("page_count", "freelist_count", "page_size")
            ]
            return int((pages[0] - pages[1]) * pages[2])
        total = 0
        for table in ("artifact", "revision", "event"):
            cursor.execute(f"SELECT coalesce(sum(pg_column_size(row.*)), 0) FROM artifacts_{table} row")
            total += int(cursor.fetchone()[0])
        return total
