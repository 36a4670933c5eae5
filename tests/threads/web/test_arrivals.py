"""What stands beside every page of a workspace: it is told when threads change, wherever its reader is."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from artifacts import log
from artifacts.database import in_database
from artifacts.members import rename_workspace
from artifacts.web import arrivals
from tests.artifacts.web import people
from tests.artifacts.web.people import Team, browser, document
from tests.artifacts.web.sockets import Socket, connected, session_for
from tests.threads.web.turns import asks, ends, says, thread_with, turn
from threads.models import Thread
from threads.turns import rename
from threads.web.arrivals import WorkspaceConsumer
from threads.web.consumers import ThreadConsumer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

PLACE = re.compile(r'id="(cursor|elsewhere)" data-seq="(\d+)"')


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "REST_SECONDS", 0.01)


@asynccontextmanager
async def looking(team: Team, after: int) -> AsyncIterator[Socket]:
    """Bob has a page of the workspace open, which has the log up to `after`."""
    where = {"workspace_id": team.workspace}
    session = await session_for(team.bob)
    async with connected(WorkspaceConsumer, where, team.bob, after, session) as page:
        yield page


async def has_all(page: Socket) -> None:
    """The page is connected and has nothing to hear."""
    assert await page.wire.receive_nothing(0.2)


async def told(page: Socket) -> dict[str, int]:
    """The places that the next message names."""
    return {place: int(seq) for place, seq in PLACE.findall(str(await page.wire.receive_from(timeout=5)))}


async def prepared() -> tuple[Team, Thread, int]:
    team = await in_database(people.team)
    thread = await in_database(thread_with, team.alice, team.workspace, "Hello")
    return team, thread, await in_database(log.head, team.workspace)


async def test_what_threads_do_is_news_beside_the_page_and_not_of_it() -> None:
    team, thread, head = await prepared()
    async with looking(team, head) as page:
        await has_all(page)
        work = await in_database(turn, thread)
        assert await told(page) == {"cursor": head, "elsewhere": head + 1}
        await in_database(says, work, "An answer")
        assert (await told(page))["cursor"] == head
        await in_database(asks, work, "Which?")
        assert (await told(page))["cursor"] == head
        await in_database(rename, team.alice, str(thread.pk), "Another name")
        assert await told(page) == {"cursor": head, "elsewhere": await in_database(log.head, team.workspace)}


async def test_what_documents_do_is_news_of_the_page_and_not_beside_it() -> None:
    team, _, head = await prepared()
    async with looking(team, head) as page:
        await has_all(page)
        await in_database(document, team.alice, team.workspace)
        assert await told(page) == {"cursor": head + 1, "elsewhere": head}


async def test_a_new_name_of_the_workspace_is_news_beside_every_page() -> None:
    team, thread, head = await prepared()
    where, session = {"thread_id": thread.pk}, await session_for(team.bob)
    async with (
        looking(team, head) as page,
        connected(ThreadConsumer, where, team.bob, head, session) as open_thread,
    ):
        await open_thread.until('id="cursor"')
        await has_all(page)
        await in_database(rename_workspace, team.alice, team.workspace, "Tea house")
        assert await told(page) == {"cursor": head, "elsewhere": head + 1}
        await open_thread.until(f'id="elsewhere" data-seq="{head + 1}"')
    client = await in_database(browser, team.bob)
    answer = await in_database(client.get, f"/workspaces/{team.workspace}/threads/")
    assert '<i hx-swap-oob="innerHTML:#sidebar .workspace-name">Tea house</i>' in answer.content.decode()


async def test_what_other_threads_did_before_a_page_connected_is_told() -> None:
    team, thread, head = await prepared()
    other = await in_database(thread_with, team.alice, team.workspace, "Another")
    now = await in_database(log.head, team.workspace)
    where, session = {"thread_id": thread.pk}, await session_for(team.bob)
    async with connected(ThreadConsumer, where, team.bob, head, session) as page:
        await page.until(f'id="elsewhere" data-seq="{now}"')
    async with looking(team, head) as page:
        assert await told(page) == {"cursor": now, "elsewhere": now}
        await in_database(ends, await in_database(turn, other))
        assert (await told(page))["cursor"] == now
