"""Opening a thread costs what is shown: in a log of 100,000 events at most 1.2 of what it costs in one of 4,000.

The shorter one fills the page, too.
"""

import time

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from artifacts.members import found_workspace
from artifacts.models import Workspace
from tests.artifacts.people import person
from tests.benchmarks.test_reading import THREADS, filled
from tests.shares import IS_STRESS, share
from threads.models import Thread

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]


def opened(client: Client, thread: Thread) -> tuple[float, int]:
    """The seconds that the page takes when nothing disturbs it, and its queries."""
    path, times = f"/threads/{thread.pk}/", list[float]()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(path).status_code == 200
        asked = len(queries)
    for _ in range(share(15, 5)):
        began = time.perf_counter()
        client.get(path)
        times.append(time.perf_counter() - began)
    return min(times), asked


def thread_of(alice: User, workspace: Workspace, count: int) -> Thread:
    """One of the ten threads that share so many events."""
    filled(str(workspace.pk), count)
    now = workspace.events.latest("seq").at
    id = THREADS[0]
    return Thread.objects.create(
        pk=id, workspace=workspace, title="T", created_by=alice, created_at=now, changed_at=now
    )


def test_opening_a_thread_in_a_long_log_costs_no_more_than_in_a_short_one() -> None:
    alice, client = person("Alice"), Client()
    client.force_login(alice)
    measured = []
    for count in (4_000, share(100_000, 6_000)):
        thread = thread_of(alice, found_workspace(alice, f"{count}"), count)
        seconds, queries = opened(client, thread)
        print(f"a thread's page in a log of {count:>7} events: {1000 * seconds:6.1f} ms, {queries} queries")
        measured.append((seconds, queries))
        thread.delete()
        thread.workspace.delete()
    (short, few), (long, many) = measured
    print(f"{long / short:.2f} times the time")
    assert many == few
    assert long / short < 1.5 or not IS_STRESS  # a few rounds on a busy machine say nothing
