"""Reading costs what is read, and not what is there: the end of a long log, and the notes of a quiet thread in one."""

import statistics
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import connection

from artifacts import log
from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.patches import WholeText
from artifacts.handle import Handle
from artifacts.members import found_workspace
from artifacts.models import Event, Workspace
from tests.artifacts.people import person
from tests.shares import share
from threads.core import events
from threads.models import Focus, Thread
from threads.turns import create_thread
from threads.turns.delivering import undelivered

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]

AT = datetime(2026, 1, 1, tzinfo=UTC)
THREADS = [uuid.UUID(int=number) for number in range(10)]
ARTIFACTS = [uuid.UUID(int=number) for number in range(100, 110)]


@pytest.fixture
def alice() -> User:
    return person("Alice")


def filled(workspace: str, count: int) -> str:
    """A workspace with so many events more: messages of ten threads, and edits of ten artifacts."""
    head = log.head(workspace)
    rows = (
        Event(
            workspace_id=workspace,
            seq=head + number,
            type=events.MESSAGE_POSTED if number % 2 else "artifact_edited",
            data={
                "title": "Notes",
                "version": number,
                "content": "A message of some length. " * 4,
                "reply": False,
            },
            actor_kind="user",
            actor_id="1",
            actor_name="Alice",
            at=AT,
            thread=THREADS[number // 2 % 10] if number % 2 else None,
            artifact=None if number % 2 else ARTIFACTS[number // 2 % 10],
        )
        for number in range(1, count + 1)
    )
    Event.objects.bulk_create(rows, batch_size=2_000)
    Workspace.objects.filter(pk=workspace).update(head=head + count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return workspace


def milliseconds(unit: Callable[[], object]) -> float:
    unit()
    times = []
    for _ in range(share(200, 20)):
        began = time.perf_counter()
        unit()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def ratio(what: str, short: float, long: float) -> None:
    times = f"{short:.2f} ms in the short log, {long:.2f} in the long"
    print(f"{connection.vendor}, {what}: {times}: ratio {long / short:.2f}")


def test_the_end_of_a_long_log_is_read_as_fast_as_that_of_a_short_one(alice: User) -> None:
    short, long = (
        filled(str(found_workspace(alice, "Place").pk), count) for count in (1_000, share(100_000, 5_000))
    )
    thread, artifact = str(THREADS[1]), str(ARTIFACTS[2])
    reads: dict[str, Callable[[str], log.Window]] = {
        "the last 50 events": lambda place: log.last(place, 50),
        "of a thread": lambda place: log.last(place, 50, thread=thread),
        "of an artifact": lambda place: log.last(place, 50, artifacts=[artifact]),
        "of a thread and an artifact": lambda place: log.last(place, 50, thread=thread, artifacts=[artifact]),
        "of a type": lambda place: log.last(place, 50, types=[events.MESSAGE_POSTED]),
    }
    for what, read in reads.items():
        ratio(what, milliseconds(partial(read, short)), milliseconds(partial(read, long)))
    assert len(log.last(long, 50, thread=thread).events) == 50


def test_notes_for_a_quiet_thread_cost_what_there_is_to_tell(alice: User) -> None:
    threads = []
    for count in (0, share(100_000, 5_000)):
        workspace = str(found_workspace(alice, "Place").pk)
        thread = create_thread(alice, workspace)
        handle = Handle.for_user(alice, workspace)
        artifact = handle.commit(CreateArtifact("document", {"title": "Tea", "text": "one"})).artifact
        Focus.objects.create(thread=thread, artifact_id=artifact, seq=log.head(workspace))
        filled(workspace, count)
        handle.commit(EditArtifact(artifact, 1, WholeText("two")))
        threads.append((thread, log.head(workspace)))
    found = [milliseconds(partial(undelivered, *which)) for which in threads]
    ratio("the notes of a quiet thread", *found)
    told = [undelivered(*which).notes for which in threads]
    assert [len(notes) for notes in told] == [1, 1]
    assert Thread.objects.count() == 2
