"""Who may not read any more is shown out, whoever says so or nobody; and however many are inside, it is asked once."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from artifacts import log
from artifacts.database import in_database
from artifacts.models import Membership
from artifacts.web import doorkeeping
from artifacts.web.arrivals import WorkspaceConsumer
from artifacts.web.doorkeeping import NO_LONGER, SIGNED_OUT, Guest, unwelcome
from tests.artifacts.web import people
from tests.artifacts.web.people import Team
from tests.artifacts.web.sockets import Socket, connected, session_for, session_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

PASSED = timezone.now() - timedelta(days=1)


@asynccontextmanager
async def inside(team: Team, user: User, session: Any = None) -> AsyncIterator[Socket]:
    """Somebody's page of the workspace, which gets one message once it is let in."""
    head = await in_database(log.head, team.workspace)
    arguments, mine = {"workspace_id": team.workspace}, session or await session_for(user)
    async with connected(WorkspaceConsumer, arguments, user, head - 1, mine) as page:
        yield page


def expires(session: str, bob: User) -> None:
    Session.objects.filter(pk=session).update(expire_date=PASSED)


def is_deactivated(session: str, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)


def has_another_password(session: str, bob: User) -> None:
    bob.set_password("another")
    bob.save()


def is_no_member(session: str, bob: User) -> None:
    Membership.objects.filter(user=bob).delete()


ENDS = [
    (expires, SIGNED_OUT),
    (is_deactivated, SIGNED_OUT),
    (has_another_password, SIGNED_OUT),
    (is_no_member, NO_LONGER),
]


@pytest.mark.parametrize(("end", "code"), ENDS)
async def test_what_nobody_tells_of_is_found_out(
    end: Callable[[str, User], None], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doorkeeping, "CHECK_SECONDS", 0.05)
    team = await in_database(people.team)
    session = await session_for(team.bob)
    async with inside(team, team.bob, session) as page, inside(team, team.alice) as other:
        await page.until("cursor")
        await other.until("cursor")
        await in_database(end, session.session_key, await in_database(User.objects.get, pk=team.bob.pk))
        assert await page.code() == code
        assert await other.wire.receive_nothing(0.2)


@pytest.mark.parametrize(("end", "code"), [ENDS[0], ENDS[2]])
async def test_who_comes_too_late_is_not_let_in(end: Callable[[str, User], None], code: int) -> None:
    team = await in_database(people.team)
    session = await session_for(team.bob)
    await in_database(end, session.session_key, await in_database(User.objects.get, pk=team.bob.pk))
    async with inside(team, team.bob, session) as page:
        assert await page.code() == code


async def test_a_database_that_is_away_shows_nobody_out_and_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    away = [True, True]

    def asked(guests: set[Guest]) -> dict[Guest, int]:
        if away:
            away.pop()
            raise OperationalError("away")
        return unwelcome(guests)

    team = await in_database(people.team)
    async with inside(team, team.bob) as page:
        await page.until("cursor")
        monkeypatch.setattr(doorkeeping, "unwelcome", asked)
        monkeypatch.setattr(doorkeeping, "AGAIN_SECONDS", 0.01)
        await in_database(Membership.objects.filter(user=team.bob).delete)
        doorkeeping.doorkeeper.doubt()
        assert await page.code() == NO_LONGER
        assert not away


def test_however_many_are_inside_it_is_asked_once() -> None:
    team = people.team()
    guests = {
        Guest(str(session_of(user).session_key), user.pk, user.password, team.workspace)
        for user in (team.alice, team.bob, team.vera) * 20
    }
    assert len(guests) == 60
    with CaptureQueriesContext(connection) as queries:
        assert unwelcome(guests) == {}
    assert len(queries) == 3


async def test_a_quiet_page_hears_that_its_link_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by an empty message: Daphne sends none, and pages took every quiet link for a dead one."""
    monkeypatch.setattr(doorkeeping, "ALIVE_SECONDS", 0.05)
    team = await in_database(people.team)
    async with inside(team, team.bob) as page:
        await page.until("cursor")
        assert await page.wire.receive_from(timeout=5)
        assert await page.wire.receive_from(timeout=5)


async def test_once_the_last_has_gone_nobody_is_looked_after() -> None:
    team = await in_database(people.team)
    async with inside(team, team.bob) as page, inside(team, team.alice):
        await page.until("cursor")
        duties = doorkeeping.doorkeeper._tasks
    assert duties
    await asyncio.wait(duties, timeout=5)
    assert all(duty.cancelled() for duty in duties)
