"""A served artifactr with a team."""

import pytest

from tests.browser.team import Team, found
from tests.conftest import Serve
from tests.services.browsing import People


@pytest.fixture
def team(serve: Serve, people: People) -> Team:
    """Alice, Bob, Charlie and Root, at a server of this test's own."""
    return found(serve(), people)
