"""What the tests stand on.

One run of pytest is on one database, chosen by `ARTIFACTR_TEST_DATABASE` (`sqlite`, the default, or `postgresql`);
`make test` does both. On PostgreSQL it then runs only what touches a database: those tests are marked `database` by
themselves. A test of processes or of the browser runs once, on SQLite, unless it is marked `both`.

Fixtures for everyone:

- `serve(*arguments, beside=None, database=None, environment=None)` starts a real `manage.py serve` and gives a `Served`
  (`url`, `kill9()`, `terminate()`, `restart()`, `log()`, `manage(...)`, `person(...)`). `beside=other` shares the
  other's database and environment. `database="postgresql"` insists on one whatever the run is on.
- `redis` is a Redis of the test's own (`url`, `stop()`, `start()`).
- `people` are browser windows: `people.person(served.person("alice"))` is a signed-in Playwright page.
- `connections_closed` closes the database connections of all threads after a test that used executors; such a test
  needs `@pytest.mark.django_db(transaction=True)`.
- An `async def` test needs no mark: anyio's plugin runs it.
- `share(full, part)` of `tests/shares.py` says how many rounds of a long test to run.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pydantic_ai.models
import pytest
from asgiref.sync import SyncToAsync
from django.db import connections
from playwright.sync_api import Browser, sync_playwright

from artifacts import database as units
from tests.services import browsing, emptying, needed, postgresql, session
from tests.services.redis import Redis
from tests.services.served import Served, fresh_database
from tests.settings import DATABASE

HERE = Path(__file__).parent
DATABASE_FIXTURES = {
    "db",
    "transactional_db",
    "django_db_reset_sequences",
    "live_server",
    "admin_user",
    "admin_client",
}

WANTING = "is not installed"

pydantic_ai.models.ALLOW_MODEL_REQUESTS = False
emptying.install()


def pytest_configure(config: pytest.Config) -> None:
    """Start what the whole run needs. Only its first process does, not its workers."""
    if hasattr(config, "workerinput"):
        return
    session.watch()
    if DATABASE == "postgresql" and "PostgreSQL" not in needed.missing():
        postgresql.ensure()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by where it is and what it uses, before `-m` chooses."""
    for item in items:
        for folder in {"core", "processes", "browser"} & set(item.path.relative_to(HERE).parts):
            item.add_marker(folder)
        if item.get_closest_marker("django_db") or DATABASE_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("database")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """On PostgreSQL, nothing that touches a database can run without it."""
    if DATABASE == "postgresql" and item.get_closest_marker("database"):
        with skipped_without_it():
            needed.postgresql_folder()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run for want of a program, and how to get it."""
    skipped = terminalreporter.stats.get("skipped", [])
    wanting = [report.nodeid for report in skipped if WANTING in str(report.longrepr)]
    if wanting:
        terminalreporter.write_line(f"{len(wanting)} tests did not run for want of a program:", red=True)
        terminalreporter.write_line(f"    {needed.command_for(needed.missing())}", red=True)


@contextmanager
def skipped_without_it() -> Iterator[None]:
    """A test whose program is missing is skipped, and under CI fails."""
    try:
        yield
    except needed.Missing as missing:
        if needed.is_ci() and not missing.is_optional:
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))


class Serve(Protocol):
    """Starts a server; see this module's docstring."""

    def __call__(
        self,
        *arguments: str,
        beside: Served | None = None,
        database: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Served: ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Real server processes, killed after the test."""
    running: list[Served] = []

    def start(
        *arguments: str,
        beside: Served | None = None,
        database: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> Served:
        with skipped_without_it():
            address = beside.database_url if beside else fresh_database(database or DATABASE)
        shared = beside.extra if beside else {}
        served = Served(address, arguments=arguments, environment={**shared, **(environment or {})})
        running.append(served)
        served.start()
        return served

    yield start
    for served in running:
        served.kill9()


@pytest.fixture
def redis() -> Iterator[Redis]:
    """A Redis of the test's own."""
    with skipped_without_it():
        server = Redis()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One Chromium for a module. Not longer: while Playwright runs, Django takes the thread for an async one."""
    with skipped_without_it():
        needed.chromium()
    with sync_playwright() as playwright:
        browser = browsing.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def people(chromium: Browser) -> Iterator[browsing.People]:
    """The people of this test, in windows of their own; what their pages complain about fails the test."""
    people = browsing.People(chromium)
    yield people
    people.leave()
    assert not people.complaints, "\n".join(people.complaints)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The test database is new with each run, and goes with the run's folder: nothing needs to drop it."""
    return True


@pytest.fixture
def connections_closed() -> Iterator[None]:
    """No thread keeps a database connection beyond the test."""
    yield
    connections.close_all()
    SyncToAsync.single_thread_executor.submit(connections.close_all).result()
    if units._executor.cache_info().currsize:
        # SQLite's one thread; PostgreSQL's threads hand their connections back after each unit.
        units._executor().submit(connections.close_all).result()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, by anyio's plugin for pytest."""
    return "asyncio"
