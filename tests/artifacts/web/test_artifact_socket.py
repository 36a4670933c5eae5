"""The socket of an artifact's own page."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import count

import pytest
from django.contrib.auth.models import User

from artifacts import log
from artifacts.core.commands import ArchiveArtifact, EditArtifact, ProposeChange
from artifacts.core.patches import WholeText
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.members import actor_of
from artifacts.models import Artifact
from artifacts.web import presence
from artifacts.web.consumers import ArtifactConsumer
from tests.artifacts.web import people
from tests.artifacts.web.people import Team
from tests.artifacts.web.sockets import Socket, connected, session_for
from tests.meanwhile import At

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@asynccontextmanager
async def watching(user: User, artifact_id: uuid.UUID, after: int) -> AsyncIterator[Socket]:
    session = await session_for(user)
    async with connected(ArtifactConsumer, {"artifact_id": artifact_id}, user, after, session) as page:
        yield page


async def prepared() -> tuple[Team, Artifact, int]:
    team = await in_database(people.team)
    tea = await in_database(people.document, team.alice, team.workspace)
    return team, tea, await in_database(log.head, team.workspace)


async def edited(team: Team, tea: Artifact, base: int, text: str) -> None:
    command = EditArtifact(str(tea.pk), base=base, patch=WholeText(text))
    await in_database(lambda: Handle.for_user(team.alice, team.workspace).commit(command))


async def test_each_version_comes_as_it_is_made_and_what_was_missed_at_once() -> None:
    team, tea, head = await prepared()
    await edited(team, tea, 1, "White.")
    async with watching(team.bob, tea.pk, head) as page:
        await page.until("<p>White.</p>")
        await edited(team, tea, 2, "Oolong.")
        await page.until("<p>Oolong.</p>")
        assert 'data-version="3"' in page.html
        assert page.after == head + 2


def test_a_page_is_not_older_than_its_place_in_the_log() -> None:
    team = people.team()
    for number in count():
        tea = people.document(team.alice, team.workspace)
        at = At(number, partial(people.edit, team.alice, tea, "White."))
        with at.reading():
            shown = people.browser(team.bob).get(f"/artifacts/{tea.pk}/").context
        if not at.came:
            break
        if shown["head"] == log.head(team.workspace):
            assert shown["artifact"].version == 2, f"before query {number}"
    assert number > 10


async def test_strangers_and_what_is_not_there_are_sent_away() -> None:
    team, tea, head = await prepared()
    async with watching(team.charlie, tea.pk, head) as page:
        assert await page.code() == 4404
    async with watching(team.bob, uuid.uuid4(), head) as page:
        assert await page.code() == 4404
    async with watching(team.bob, tea.pk, head + 1) as page:
        assert await page.code() == 4409


async def test_each_hears_who_comes_edits_and_goes() -> None:
    team, tea, head = await prepared()
    bob = await in_database(actor_of, team.bob)
    async with watching(team.alice, tea.pk, head) as alice:
        await alice.until("alice is here")
        async with watching(team.bob, tea.pk, head):
            await alice.until("bob is here")
            presence.seen(str(tea.pk), bob, editing=True)
            await alice.until("bob is editing")
        alice.received.clear()
        await alice.until("alice is here")
        assert "bob" not in alice.html


async def test_what_is_no_version_comes_too() -> None:
    team, tea, head = await prepared()
    handle = await in_database(Handle.for_user, team.bob, team.workspace)
    async with watching(team.alice, tea.pk, head) as page:
        proposal = ProposeChange(str(tea.pk), 1, WholeText("White."), "Lighter")
        await in_database(lambda: handle.commit(proposal))
        await page.until("bob suggests: Lighter")
        await in_database(lambda: handle.commit(ArchiveArtifact(str(tea.pk))))
        await page.until('data-state="archived"')
        assert "csrf" not in page.html
