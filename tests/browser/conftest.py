"""A served artifactr with a team, one for each module: a test has threads of its own, and windows."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.team import Team, with_team
from tests.services.browsing import People
from tests.services.served import Served
from tests.settings import DATABASE

Founded = tuple[Served, dict[str, Any]]


@pytest.fixture(scope="module")
def founded(request: pytest.FixtureRequest) -> Iterator[Founded]:
    """The server and what is founded there. A module may name an `ENVIRONMENT` of its own."""
    served, foundation = with_team(DATABASE, getattr(request.module, "ENVIRONMENT", None))
    served.start()
    yield served, foundation
    served.kill9()


@pytest.fixture
def team(founded: Founded, people: People) -> Team:
    """Alice, Bob, Charlie and Root."""
    served, foundation = founded
    return Team(served, people, **foundation)
