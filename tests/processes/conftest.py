"""What the tests of processes share: servers whose agent is that of `stage.py`, and clusters of several processes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.conftest import skipped_without_it
from tests.processes.cluster import Cluster
from tests.processes.proxy import Proxy
from tests.processes.stage import APPENDED
from tests.processes.staged import SETTINGS, Staged
from tests.services.served import Served, fresh_database
from tests.settings import DATABASE


class Stage(Protocol):
    """Starts a server; `beside` shares another's database and file, `proxy` stands before PostgreSQL."""

    def __call__(
        self, *arguments: str, beside: Staged | None = None, proxy: Proxy | None = None
    ) -> Staged: ...


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """Servers whose agent appends to a file; killed after the test."""
    servers: list[Served] = []
    appended = tmp_path / "appended"
    appended.touch()

    def start(*arguments: str, beside: Staged | None = None, proxy: Proxy | None = None) -> Staged:
        with skipped_without_it():
            address = beside.served.database_url if beside else fresh_database(DATABASE)
        environment = {"DJANGO_SETTINGS_MODULE": SETTINGS, APPENDED: str(appended)}
        if proxy is not None:
            environment["ARTIFACTR_DATABASE_URL"] = proxy.database_url(address.rpartition("/")[2])
        served = Served(address, arguments=arguments, environment=environment)
        servers.append(served)
        served.start()
        return Staged(served, appended)

    yield start
    for served in servers:
        served.kill9()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One for all tests of a module: what one leaves behind, the next has to live with."""
    with skipped_without_it():
        cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()
