"""What is done for all open sockets of a process together, because one by one it would cost more than all else that
they do: now and then each is told that its link is alive; and whether those who read may still do so is looked at every
so often, because not everything that ends a reading is told, and at once when there is reason to doubt."""

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass
from typing import Protocol

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.utils import timezone

from artifacts.database import in_database
from artifacts.models import Membership

logger = logging.getLogger(__name__)

ALIVE_SECONDS = 10.0
CHECK_SECONDS = 30.0
AGAIN_SECONDS = 1.0
SIGNED_OUT, NO_LONGER = 4401, 4403


@dataclass(frozen=True, slots=True)
class Guest:
    """Who reads in which workspace, by which session, and the account's password (a hash) as they came."""

    session: str
    user: int
    password: str
    workspace: str


def unwelcome(guests: Collection[Guest]) -> dict[Guest, int]:
    """Those who may not read any more, with the code that says why. Runs in a database thread."""
    sessions, accounts, memberships = _sessions(guests), _accounts(guests), _memberships(guests)
    codes: dict[Guest, int] = {}
    for guest in guests:
        if guest.session not in sessions or accounts.get(guest.user) != guest.password:
            codes[guest] = SIGNED_OUT
        elif (guest.user, guest.workspace) not in memberships:
            codes[guest] = NO_LONGER
    return codes


def _sessions(guests: Collection[Guest]) -> set[str]:
    """The keys of those sessions that go on."""
    rows = Session.objects.filter(
        session_key__in={guest.session for guest in guests}, expire_date__gt=timezone.now()
    )
    return set(rows.values_list("session_key", flat=True))


def _accounts(guests: Collection[Guest]) -> dict[int, str]:
    """The passwords of those accounts that are active."""
    rows = User.objects.filter(pk__in={guest.user for guest in guests}, is_active=True)
    return dict(rows.values_list("pk", "password"))


def _memberships(guests: Collection[Guest]) -> set[tuple[int, str]]:
    rows = Membership.objects.filter(
        user__in={guest.user for guest in guests}, workspace__in={guest.workspace for guest in guests}
    )
    return {(user, str(workspace)) for user, workspace in rows.values_list("user", "workspace")}


class Visitor(Protocol):
    """A socket, as far as the doorkeeper knows it."""

    guest: Guest

    async def reassure(self) -> None:
        """Say that the link is alive."""

    def show_out(self, code: int) -> None:
        """Close, and say why."""


class Doorkeeper:
    """Looks after those who are inside, for as long as anybody is. In one event loop, but for `doubt`."""

    def __init__(self) -> None:
        self._inside: set[Visitor] = set()
        self._tasks: list[asyncio.Task[None]] = []

    def enter(self, visitor: Visitor) -> None:
        """Look after somebody."""
        if not self._tasks:
            self._loop, self._doubted = asyncio.get_running_loop(), asyncio.Event()
            duties = (self._keep_looking, self._keep_reassuring)
            self._tasks = [self._loop.create_task(duty(), context=Context()) for duty in duties]
        self._inside.add(visitor)

    def leave(self, visitor: Visitor) -> None:
        """Look after them no more."""
        self._inside.discard(visitor)
        if not self._inside:
            for task in self._tasks:
                task.cancel()
            self._tasks = []

    def doubt(self) -> None:
        """Look at once. In any thread."""
        if self._tasks:
            with suppress(RuntimeError):  # the loop is closed: the process ends
                self._loop.call_soon_threadsafe(self._doubted.set)

    async def _keep_reassuring(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            for visitor in list(self._inside):
                try:
                    await visitor.reassure()
                except Exception:
                    logger.exception("a socket could not be told that it is alive")

    async def _keep_looking(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._doubted.wait(), CHECK_SECONDS)
            self._doubted.clear()
            try:
                await self._look()
            except Exception:
                logger.exception("cannot look who may still read; looking again in %s s", AGAIN_SECONDS)
                await asyncio.sleep(AGAIN_SECONDS)
                self._doubted.set()

    async def _look(self) -> None:
        codes = await in_database(unwelcome, {visitor.guest for visitor in self._inside})
        for visitor in list(self._inside):
            if code := codes.get(visitor.guest):
                visitor.show_out(code)


doorkeeper = Doorkeeper()
"""This process' own."""
