"""The admin's lists and pages cost as much with 10,000 requests that wait, in a log of 100,000 events, as with 100."""

import statistics
import time
import uuid
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from artifacts.models import Event, Workspace
from tests.shares import share
from tests.threads.admin.asking import approval, document, signed_in, waiting
from threads.models import Request, Run, Thread

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]

LONG = "x" * 2_000


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def admin() -> Client:
    return signed_in(User.objects.create_superuser("root"))


def filled(first: Request, requests: int, events: int) -> None:
    """So many requests that wait, each in a run and a thread of its own, and so many events in one thread."""
    place, at = first.thread.workspace, timezone.now()
    threads = [
        Thread(id=uuid.uuid4(), workspace=place, title=f"Chat {n}", created_at=at, changed_at=at)
        for n in range(requests)
    ]
    Thread.objects.bulk_create(threads, batch_size=1_000)
    runs = [
        Run(
            id=uuid.uuid4(),
            thread=row,
            user=first.run.user,
            status="paused",
            trigger="message",
            seq=n,
            started_at=at,
        )
        for n, row in enumerate(threads)
    ]
    Run.objects.bulk_create(runs, batch_size=1_000)
    paired = [_with(row, run) for row, run in zip(threads, runs, strict=True)]
    Thread.objects.bulk_update(paired, ["run"], batch_size=500)
    Request.objects.bulk_create(
        [
            Request(
                run=run,
                thread=run.thread,
                kind="approval",
                tool=f"tool {n % 2}",
                call=f"call {n}",
                arguments={"title": f"Number {n}", "text": LONG},
                artifacts=first.artifacts,
                seq=n,
                asked_at=at,
            )
            for n, run in enumerate(runs)
        ],
        batch_size=500,
    )
    head = place.head
    data = {"content": "A message. " * 5, "tool": "note", "arguments": {}, "reply": False}
    rows = (
        Event(
            workspace=place,
            seq=head + n,
            type="message_posted" if n % 2 else "tool_called",
            data={**data, "run": str(first.run_id)},
            actor_kind="user",
            actor_id=str(first.run.user_id),
            actor_name="alice",
            at=at,
            thread=first.thread_id,
        )
        for n in range(1, events + 1)
    )
    Event.objects.bulk_create(rows, batch_size=2_000)
    Workspace.objects.filter(pk=place.pk).update(head=head + events)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _with(thread: Thread, run: Run) -> Thread:
    thread.run = run
    return thread


def milliseconds(unit: Callable[[], object]) -> float:
    unit()
    times = []
    for _ in range(share(15, 3)):
        began = time.perf_counter()
        unit()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def test_lists_and_pages_cost_as_much_with_ten_thousand_as_with_a_hundred(admin: Client, alice: User) -> None:
    first = waiting(alice, approval({"artifact": document(alice), "version": 1}))[0]
    pages = {
        "the queue": "/admin/threads/request/",
        "the queue of a tool": "/admin/threads/request/?tool=tool+1",
        "the queue's last page": "/admin/threads/request/?p={last}",
        "the queue, searched": "/admin/threads/request/?q=alice",
        "a review page": f"/admin/threads/request/{first.pk}/change/",
        "a run's timeline": f"/admin/threads/run/{first.run_id}/change/",
        "a thread's log": f"/admin/artifacts/event/?q={first.thread_id}",
        "the index": "/admin/",
        "the badge": "/requests/waiting/",
    }

    def measured() -> dict[str, tuple[float, int]]:
        found = {}
        last = (Request.objects.count() - 1) // 50 + 1
        for name, page in pages.items():
            address = page.format(last=last)
            spent = milliseconds(lambda address=address: admin.get(address))  # type: ignore[misc]  # bound at once
            with CaptureQueriesContext(connection) as captured:
                assert admin.get(address).status_code == 200
            found[name] = (spent, len(captured))
        return found

    filled(first, 100, 1_000)
    few = measured()
    again = Request.objects.select_related("thread__workspace", "run__user").get(pk=first.pk)
    filled(again, share(9_900, 400), share(99_000, 2_000))
    many = measured()
    for name in pages:
        (short, queries), (long, more) = few[name], many[name]
        print(
            f"{connection.vendor}, {name}: {short:.1f} ms, {long:.1f} ms: ratio {long / short:.2f}; {more} queries"
        )
        assert more <= queries, name
        assert more <= 30, name
