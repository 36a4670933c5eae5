"""The people of these tests."""

import pytest

from tests.artifacts.web import people


@pytest.fixture
def team(db: None) -> people.Team:
    """Alice, Bob, Vera, Rob and Charlie."""
    return people.team()
