"""The log: the one way to write, to read, and to follow what happens in a workspace."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextvars import Context
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from artifacts import announcing
from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope
from artifacts.core.rejections import NotFound
from artifacts.database import AWAY, persistently
from artifacts.models import Event, Workspace
from artifacts.statements import execute, inserting, selected, updating

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0
READ_LIMIT = 500


@dataclass(slots=True)
class Entry:
    """One write in progress, under the workspace's lock.

    `head` is the newest `seq` before it, `at` the moment that all its rows and events carry.
    """

    workspace: Workspace
    actor: Actor
    at: datetime
    events: list[Event] = field(default_factory=list)

    @property
    def head(self) -> int:
        """The newest `seq` of the log before this write."""
        return self.workspace.head

    def append(
        self,
        type: str,
        data: dict[str, Any],
        *,
        thread: str | None = None,
        artifact: str | None = None,
        about: int | None = None,
        key: str | None = None,
        actor: Actor | None = None,
    ) -> int:
        """Add an event and return its `seq`. `actor` is given where it is another than the writer."""
        who = actor or self.actor
        seq = self.head + len(self.events) + 1
        self.events.append(
            Event(
                workspace_id=self.workspace.pk,
                seq=seq,
                type=type,
                data=data,
                actor_kind=who.kind,
                actor_id=who.id,
                actor_name=who.name[:200],
                at=self.at,
                thread=thread,
                artifact=artifact,
                about=about,
                key=key,
            )
        )
        return seq

    def find(self, key: str) -> Envelope | None:
        """What an earlier try with this key wrote, if one did."""
        event = Event.objects.filter(workspace_id=self.workspace.pk, key=key).first()
        return event.envelope() if event else None


def write[T](workspace_id: str, actor: Actor, decide: Callable[[Entry], T]) -> T:
    """Carry out one change as one transaction under the workspace's lock, and announce it once it is committed.

    `decide` loads, applies pure rules, saves its app's rows and appends events. It may raise a `Rejection`, which
    leaves everything as it was. It must not wait, render or call a model. Returns what `decide` returns.
    """
    with transaction.atomic():
        entry = Entry(_locked(workspace_id), actor, timezone.now())
        outcome = decide(entry)
        if entry.events:
            _insert(entry)
    return outcome


def _locked(workspace_id: str) -> Workspace:
    try:
        return selected(Workspace, locked=True, id=workspace_id)
    except (Workspace.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This workspace") from None


def _insert(entry: Entry) -> None:
    entry.workspace.head = entry.events[-1].seq
    execute(*map(inserting, entry.events), updating(entry.workspace, "head"))
    written = [event.envelope() for event in entry.events]
    transaction.on_commit(lambda: announcing.announce(str(entry.workspace.pk), written), robust=True)


@dataclass(frozen=True, slots=True)
class Window:
    """Events in order, and how far the log was read: everything up to `head` that was asked for is in `events`."""

    events: list[Envelope]
    head: int


def head(workspace_id: str) -> int:
    """The newest `seq` of a workspace. Raises `NotFound`."""
    try:
        return Workspace.objects.only("head").get(pk=workspace_id).head
    except (Workspace.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This workspace") from None


def read(
    workspace_id: str,
    *,
    after: int = 0,
    thread: str | None = None,
    artifacts: Collection[str] = (),
    types: Collection[str] = (),
    limit: int = READ_LIMIT,
) -> Window:
    """The first `limit` events with `seq > after`; of one thread or some artifacts, and of some types, if given.

    The head is read before the rows, so that a row committed in between is left to the next read.
    """
    newest = head(workspace_id)
    rows = _chosen(workspace_id, thread, artifacts, types).filter(seq__gt=after, seq__lte=newest)
    found = [row.envelope() for row in rows.order_by("seq")[:limit]]
    return Window(found, found[-1].seq if len(found) == limit else max(newest, after))


def last(
    workspace_id: str,
    count: int,
    *,
    thread: str | None = None,
    artifacts: Collection[str] = (),
    types: Collection[str] = (),
) -> Window:
    """The last `count` events, in order, chosen as by `read`."""
    newest = head(workspace_id)
    rows = _chosen(workspace_id, thread, artifacts, types).filter(seq__lte=newest)
    return Window([row.envelope() for row in rows.order_by("-seq")[:count]][::-1], newest)


def _chosen(
    workspace_id: str, thread: str | None, artifacts: Collection[str], types: Collection[str]
) -> QuerySet[Event]:
    rows = Event.objects.filter(workspace_id=workspace_id)
    if thread is not None or artifacts:
        concerned = Q(artifact__in=artifacts)
        rows = rows.filter(concerned if thread is None else Q(thread=thread) | concerned)
    return rows.filter(type__in=types) if types else rows


async def follow(workspace_id: str, after: int) -> AsyncIterator[Window]:
    """What is written after `after`, as it is written, each event once and in order.

    Fed by this process's commits; a read fills what they leave out. Hints, and a poll besides, find what others commit.
    All followers poll at the same moments, and those who know the same at one place share one read: many
    cost what one does. A window may be empty: then nothing happened for `POLL_SECONDS`, or it had been read before.
    """
    position = after
    with announcing.listening(workspace_id) as inbox:
        window = await _read_in_time(workspace_id, position)
        while True:
            position = window.head
            yield window
            is_behind = len(window.events) == READ_LIMIT
            is_called = is_behind or await inbox.wait(_until_all_poll())
            events = inbox.take(position)
            if events:
                window = Window(events, events[-1].seq)
            elif is_called and not is_behind and inbox.head <= position:
                window = Window([], position)
            else:
                window = await _read_together(workspace_id, position, inbox.head)


def _until_all_poll() -> float:
    """Seconds until the next moment at which this loop's followers poll."""
    return POLL_SECONDS - asyncio.get_running_loop().time() % POLL_SECONDS


type _Place = tuple[asyncio.AbstractEventLoop, str, int, int]

_reads: dict[_Place, asyncio.Task[Window]] = {}


async def _read_together(workspace_id: str, position: int, head: int) -> Window:
    """What comes after `position`, by one read for all who ask for it meanwhile, whoever of them goes away.

    A read is shared by those who heard of the same `head`: one that had begun before might not see it.
    """
    place = asyncio.get_running_loop(), workspace_id, position, head
    if place not in _reads:
        _reads[place] = asyncio.create_task(_read_in_time(workspace_id, position), context=Context())
        _reads[place].add_done_callback(lambda _: _reads.pop(place))
    return await asyncio.shield(_reads[place])


async def _read_in_time(workspace_id: str, position: int) -> Window:
    """What comes after `position`, whenever the database is there to say it: who follows outlasts every outage."""
    while True:
        try:
            return await persistently(read, workspace_id, after=position, limit=READ_LIMIT)
        except AWAY:
            logger.warning("the log of %s cannot be read; it is tried again", workspace_id)
