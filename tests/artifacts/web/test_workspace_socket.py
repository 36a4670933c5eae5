"""The socket of a workspace's pages: it says to members that there is news, and not what."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import User
from django.test import Client

from artifacts import log
from artifacts.core.actors import SYSTEM
from artifacts.database import in_database
from artifacts.members import add_member, remove_member
from artifacts.web import arrivals
from artifacts.web.arrivals import WorkspaceConsumer
from artifacts.web.doorkeeping import NO_LONGER
from artifacts.web.sockets import NOT_HERE, RELOAD
from tests.artifacts.web import people
from tests.artifacts.web.people import document

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

PLACES = re.compile(
    r'<i id="cursor" data-seq="(\d+)" hx-swap-oob="outerHTML" hidden></i>'
    r'<i id="elsewhere" data-seq="(\d+)" hx-swap-oob="outerHTML" hidden></i>'
)


def session_of(user: User) -> Any:
    client = Client()
    client.force_login(user)
    return client.session


@asynccontextmanager
async def watching(user: User, workspace: str, after: int) -> AsyncIterator[WebsocketCommunicator]:
    """Somebody's page of a workspace, which has the log up to `after`."""
    wire = WebsocketCommunicator(WorkspaceConsumer.as_asgi(), f"/ws/workspaces/{workspace}/?after={after}")
    scope: dict[str, Any] = wire.scope  # type: ignore[assignment]  # what the router and the middleware add
    scope["user"], scope["session"] = user, await in_database(session_of, user)
    scope["url_route"] = {"kwargs": {"workspace_id": workspace}}
    assert (await wire.connect())[0]
    try:
        yield wire
    finally:
        await wire.disconnect()


async def news(wire: WebsocketCommunicator) -> int:
    """The page's next place in the log."""
    found = PLACES.fullmatch(str(await wire.receive_from(timeout=5)))
    assert found, "nothing but the places"
    return int(found[1])


async def code(wire: WebsocketCommunicator) -> int:
    while True:
        message = await wire.receive_output(timeout=5)
        if message["type"] == "websocket.close":
            return int(message["code"])


async def test_a_change_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "REST_SECONDS", 0.01)
    team = await in_database(people.team)
    head = await in_database(log.head, team.workspace)
    async with watching(team.vera, team.workspace, head) as page:
        assert await page.receive_nothing(0.2)
        await in_database(document, team.alice, team.workspace)
        assert await news(page) == head + 1
        await in_database(add_member, team.alice, team.workspace, team.charlie, "viewer")
        assert await news(page) == head + 2


async def test_what_the_page_does_not_show_is_no_news() -> None:
    team = await in_database(people.team)
    head = await in_database(log.head, team.workspace)
    async with watching(team.vera, team.workspace, head) as page:
        assert await page.receive_nothing(0.2)
        await in_database(log.write, team.workspace, SYSTEM, lambda entry: entry.append("message_posted", {}))
        assert await page.receive_nothing(0.3)


async def test_what_was_missed_is_told_at_once() -> None:
    team = await in_database(people.team)
    head = await in_database(log.head, team.workspace)
    async with watching(team.vera, team.workspace, head - 1) as page:
        assert await news(page) == head


async def test_a_page_from_the_future_loads_anew() -> None:
    team = await in_database(people.team)
    async with watching(team.vera, team.workspace, 10_000) as page:
        assert await code(page) == RELOAD


async def test_a_stranger_hears_nothing_and_who_is_removed_no_more() -> None:
    team = await in_database(people.team)
    head = await in_database(log.head, team.workspace)
    async with watching(team.charlie, team.workspace, head) as page:
        assert await code(page) == NOT_HERE
    async with watching(team.vera, team.workspace, head) as page:
        assert await page.receive_nothing(0.2)
        await in_database(remove_member, team.alice, team.workspace, team.vera)
        assert await code(page) == NO_LONGER
