"""A served artifactr with a team, one for each module: a test has threads of its own, and windows."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.team import Team, founded
from tests.services.browsing import People
from tests.services.served import Served, fresh_database
from tests.settings import DATABASE


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """The server."""
    served = Served(fresh_database(DATABASE))
    served.start()
    yield served
    served.kill9()


@pytest.fixture(scope="module")
def foundation(served: Served) -> dict[str, Any]:
    """The team's workspace and sessions."""
    return founded(served)


@pytest.fixture
def team(served: Served, foundation: dict[str, Any], people: People) -> Team:
    """Alice, Bob, Charlie and Root."""
    return Team(served, people, **foundation)
