"""The database away for seconds in mid-run, a process that was stopped for longer than its claims: no run is lost."""

import signal
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from urllib.error import HTTPError
from urllib.parse import unquote

import psycopg
import pytest
from psycopg_pool import ConnectionPool
from psycopg_pool.base import AttemptWithBackoff

from artifactr_site.databases import POSTGRESQL_POOL
from tests.processes.conftest import Stage
from tests.processes.proxy import Proxy
from tests.processes.staged import Staged
from tests.services import postgresql
from tests.settings import DATABASE
from tests.shares import IS_STRESS, share
from threads.turns.lease import CLAIM_SECONDS

pytestmark = [pytest.mark.both, pytest.mark.stress]

ON_SQLITE = pytest.mark.skipif(DATABASE != "sqlite", reason="a file is SQLite's way")
ON_POSTGRESQL = pytest.mark.skipif(DATABASE != "postgresql", reason="PostgreSQL's connections are cut")

WHOLE = pytest.mark.skipif(not IS_STRESS, reason="two processes and half a minute: see make stress")


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    postgresql.ensure()
    proxy = Proxy()
    yield proxy
    proxy.close()


def in_mid_run(staged: Staged) -> None:
    """Three threads are at work: a tool has begun in one of them, and more are to come."""
    staged.threads(3)
    assert staged.wait_for_lines(1)


@contextmanager
def locked(database_url: str) -> Iterator[None]:
    """SQLite's file is locked by a transaction of somebody else's."""
    path = unquote(database_url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield
        connection.execute("ROLLBACK")


@ON_SQLITE
def test_a_file_that_is_locked_for_seconds_costs_no_run(stage: Stage) -> None:
    staged = stage()
    in_mid_run(staged)
    with locked(staged.served.database_url):
        time.sleep(share(5, 2))
    counts = staged.aftermath()
    print(counts)
    assert counts["runs"] == 3
    assert counts["continued"] == []


@ON_POSTGRESQL
def test_a_database_that_is_away_for_seconds_costs_no_run(stage: Stage, proxy: Proxy) -> None:
    staged = stage(proxy=proxy)
    in_mid_run(staged)
    cut = proxy.cut()
    time.sleep(share(5, 2))
    proxy.mend()
    counts = staged.aftermath()
    print(f"{cut} connections were cut; then {counts}")
    assert cut > 0
    assert counts["runs"] == 3
    assert counts["continued"] == [], "nobody else was there to take the runs, and their holder still lives"


@ON_POSTGRESQL
def test_who_asks_while_the_database_is_away_is_told_so_and_loses_nothing(stage: Stage, proxy: Proxy) -> None:
    staged = stage(proxy=proxy)
    [thread] = staged.threads(1)
    staged.aftermath()
    form = {"content": "Where were we?", "message_id": uuid.uuid4().hex}
    asked = [
        lambda: staged.alice.get(thread),
        lambda: staged.alice.post(f"{thread}messages/", **form),
        lambda: staged.alice.post("/threads/", content="A new one"),
        lambda: staged.alice.get("/readyz"),
        lambda: staged.alice.get("/healthz"),
    ]
    proxy.cut()
    began = time.monotonic()
    with ThreadPoolExecutor() as threads:
        page, message, beginning, ready, alive = threads.map(told, asked)
    print(f"told after {time.monotonic() - began:.1f} s")
    while time.monotonic() < began + 8:
        told(asked[0])
    proxy.mend()
    mended = time.monotonic()
    staged.served.wait_ready()
    print(f"ready again after {time.monotonic() - mended:.1f} s")
    assert time.monotonic() - mended < 5, (
        "the pool does not wait the longer, the longer the database was away"
    )
    assert page == (503, "5", page[2])
    assert "Try again" in page[2]
    assert message == (503, "5", message[2])
    assert "Where were we?" in message[2]
    assert beginning == (503, "5", beginning[2])
    assert ready == (503, None, "The database does not answer.\n")
    assert alive == (200, None, "alive\n")
    staged.alice.post(f"{thread}messages/", **form)
    staged.alice.post(f"{thread}messages/", **form)
    counts = staged.aftermath()
    assert (counts["messages"], counts["runs"]) == (2, 2), (
        "what was refused was not done, and once sent again, once"
    )
    assert "django.request" not in staged.served.log(), "no traceback for each of them"


def told(ask: Callable[[], str]) -> tuple[int, str | None, str]:
    """The status of an answer, after how long one may try again, and what it says."""
    try:
        return 200, None, ask()
    except HTTPError as error:
        return error.code, error.headers["Retry-After"], error.read().decode()


@ON_POSTGRESQL
def test_a_pool_sees_soon_that_its_database_is_back(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock twenty times as fast: the outage is one of more than a minute."""
    monkeypatch.setattr(AttemptWithBackoff, "INITIAL_DELAY", AttemptWithBackoff.INITIAL_DELAY / 20)
    timeout, reconnect = POSTGRESQL_POOL["timeout"] / 20, POSTGRESQL_POOL["reconnect_timeout"] / 20
    address = proxy.database_url("postgres")
    with ConnectionPool(address, min_size=1, timeout=timeout, reconnect_timeout=reconnect, open=True) as pool:
        pool.wait()
        proxy.cut()
        began = time.monotonic()
        while time.monotonic() < began + 4.5:
            connects(pool)
        proxy.mend()
        mended = time.monotonic()
        while not connects(pool):
            pass
        waited = time.monotonic() - mended
    print(f"back after {20 * waited:.1f} s")
    assert waited < 1


def connects(pool: ConnectionPool) -> bool:
    try:
        with pool.connection() as connection:
            return connection.execute("SELECT true").fetchone() == (True,)
    except psycopg.OperationalError:
        return False


@ON_POSTGRESQL
@WHOLE
def test_what_one_process_cannot_reach_goes_on_in_another(stage: Stage, proxy: Proxy) -> None:
    """Its lock goes with its connection; it takes it again, finds its runs gone, and writes nothing more of them."""
    cut_off = stage(proxy=proxy)
    other = stage("--runs-only", beside=cut_off)
    in_mid_run(cut_off)
    proxy.cut()
    time.sleep(8)
    proxy.mend()
    counts = other.aftermath()
    print(counts)
    assert counts["runs"] == 3
    assert counts["continued"]


@contextmanager
def stopped(staged: Staged) -> Iterator[None]:
    """The server's process does nothing for a while, and does not know of it."""
    assert staged.served.process is not None
    staged.served.process.send_signal(signal.SIGSTOP)
    yield
    staged.served.process.send_signal(signal.SIGCONT)


def test_a_process_that_slept_longer_than_its_claims_goes_on(stage: Stage) -> None:
    """Alone: its tokens still stand, so it renews, however late."""
    staged = stage()
    in_mid_run(staged)
    with stopped(staged):
        time.sleep(share(int(CLAIM_SECONDS) + 2, 2))
    counts = staged.aftermath()
    print(counts)
    assert counts["runs"] == 3
    assert counts["continued"] == []


@ON_POSTGRESQL
@WHOLE
def test_a_process_that_slept_too_long_finds_its_runs_gone_on(stage: Stage) -> None:
    """Beside another process, which takes them once the claims lapse; the first writes nothing more of them."""
    sleeper = stage()
    other = stage("--runs-only", beside=sleeper)
    in_mid_run(sleeper)
    with stopped(sleeper):
        time.sleep(CLAIM_SECONDS + 5)
    counts = other.aftermath()
    print(counts)
    assert counts["runs"] == 3
    assert counts["continued"]
