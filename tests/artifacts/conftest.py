"""Alice owns a workspace, Bob belongs to it as an editor, Vera reads it, and Charlie is a stranger."""

import pytest
from django.contrib.auth.models import User

from artifacts.handle import Handle
from artifacts.members import add_member
from tests.artifacts.people import person, workspace_of


@pytest.fixture
def alice(db: None) -> User:
    return person("Alice")


@pytest.fixture
def workspace(alice: User) -> str:
    return workspace_of(alice)


@pytest.fixture
def bob(alice: User, workspace: str) -> User:
    bob = person("Bob")
    add_member(alice, workspace, bob, "editor")
    return bob


@pytest.fixture
def vera(alice: User, workspace: str) -> User:
    vera = person("Vera")
    add_member(alice, workspace, vera, "viewer")
    return vera


@pytest.fixture
def charlie(db: None) -> User:
    return person("Charlie")


@pytest.fixture
def hers(alice: User, workspace: str) -> Handle:
    return Handle.for_user(alice, workspace)
