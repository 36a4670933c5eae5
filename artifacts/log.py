"""The log: the one way to write, to read, and to follow what happens in a workspace."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection
from contextvars import Context
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import CharField, Q, QuerySet
from django.utils import timezone

from artifacts import announcing
from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope
from artifacts.core.rejections import NotFound
from artifacts.database import AWAY, persistently
from artifacts.models import Event, Workspace
from artifacts.prepared import Given, Prepared, given_id, given_number
from artifacts.statements import Statement, execute, inserting, updating

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0
READ_LIMIT = 500

type Artifacts = Collection[str] | QuerySet[Any, Any]
"""Ids, or a query that chooses them as the events are read."""

LOCKED = Prepared(lambda: Workspace.objects.filter(pk=given_id("workspace")).select_for_update().order_by())
HEAD = Prepared(
    lambda: Workspace.objects.filter(pk=given_id("workspace")).order_by().values_list("head", flat=True)
)
BY_KEY = Prepared(
    lambda: Event.objects.filter(workspace=given_id("workspace"), key=Given("key", CharField())).order_by()
)
NEXT = Prepared(
    lambda: Event.objects.filter(
        workspace=given_id("workspace"), seq__gt=given_number("after"), seq__lte=given_number("head")
    ).order_by("seq")[:READ_LIMIT]
)
"""What `read` is asked for most often: all that comes next, for those who follow the log."""


@dataclass(slots=True)
class Entry:
    """One write in progress, under the workspace's lock.

    `head` is the newest `seq` before it, `at` the moment that all its rows and events carry.
    """

    workspace: Workspace
    actor: Actor
    at: datetime
    events: list[Event] = field(default_factory=list)
    rows: list[Statement] = field(default_factory=list)

    @property
    def head(self) -> int:
        """The newest `seq` of the log before this write."""
        return self.workspace.head

    @property
    def last(self) -> int:
        """The newest `seq` with what this write has appended so far."""
        return self.head + len(self.events)

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
        seq = self.last + 1
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

    def store(self, *rows: Statement) -> None:
        """Write rows together with the events: in one round trip, where the database takes them so."""
        self.rows += rows

    def flush(self) -> None:
        """Write the rows now, for who is about to read them."""
        if self.rows:
            execute(*self.rows)
            self.rows = []

    def find(self, key: str) -> Envelope | None:
        """What an earlier try with this key wrote, if one did."""
        event = BY_KEY.first(workspace=self.workspace.pk, key=key)
        return event.envelope() if event else None


def write[T](workspace_id: str, actor: Actor, decide: Callable[[Entry], T]) -> T:
    """Carry out one change as one transaction under the workspace's lock, and announce it once it is committed.

    `decide` loads, applies pure rules, saves its app's rows and appends events. It may raise a `Rejection`, which
    leaves everything as it was. It must not wait, render or call a model. Returns what `decide` returns.
    """
    with transaction.atomic():
        entry = Entry(_found(LOCKED, workspace_id), actor, timezone.now())
        outcome = decide(entry)
        if entry.events:
            _insert(entry)
        entry.flush()
    return outcome


def _found[Row](query: Prepared[Row], workspace_id: str) -> Row:
    if (found := query.first_if_any(workspace=workspace_id)) is None:
        raise NotFound("This workspace")
    return found


def _insert(entry: Entry) -> None:
    entry.workspace.head = entry.events[-1].seq
    entry.store(*map(inserting, entry.events), updating(entry.workspace, "head"))
    written = [event.envelope() for event in entry.events]
    transaction.on_commit(lambda: announcing.announce(str(entry.workspace.pk), written), robust=True)


@dataclass(frozen=True, slots=True)
class Window:
    """Events in order, and how far the log was read: everything up to `head` that was asked for is in `events`."""

    events: list[Envelope]
    head: int


def head(workspace_id: str) -> int:
    """The newest `seq` of a workspace. Raises `NotFound`."""
    return _found(HEAD, workspace_id)


def read(
    workspace_id: str,
    *,
    after: int = 0,
    thread: str | None = None,
    artifacts: Artifacts = (),
    types: Collection[str] = (),
    limit: int = READ_LIMIT,
) -> Window:
    """The first `limit` events with `seq > after`; of one thread or some artifacts, and of some types, if given.

    The head is read before the rows, so that a row committed in between is left to the next read.
    """
    newest = head(workspace_id)
    if thread is None and not artifacts and not types and limit == READ_LIMIT:
        rows = NEXT.rows(workspace=workspace_id, after=after, head=newest)
    else:
        chosen = _chosen(workspace_id, thread, artifacts, types).filter(seq__gt=after, seq__lte=newest)
        rows = list(chosen.order_by("seq")[:limit])
    found = [row.envelope() for row in rows]
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
    workspace_id: str, thread: str | None, artifacts: Artifacts, types: Collection[str]
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
    with announcing.listening(workspace_id) as inbox:
        async for window in _windows(inbox, workspace_id, await _read_in_time(workspace_id, after)):
            yield window


async def follow_own(workspace_id: str, written: int) -> AsyncIterator[Window]:
    """`follow`, for who has just written up to `written`: it reads at first only if it knows of more."""
    with announcing.listening(workspace_id) as inbox:
        is_known = announcing.newest(workspace_id) == written
        first = Window([], written) if is_known else await _read_in_time(workspace_id, written)
        async for window in _windows(inbox, workspace_id, first):
            yield window


async def _windows(inbox: announcing.Inbox, workspace_id: str, window: Window) -> AsyncIterator[Window]:
    while True:
        yield window
        position = window.head
        is_behind = len(window.events) == READ_LIMIT
        is_called = is_behind or await inbox.wait(_until_all_poll())
        if events := inbox.take(position):
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
