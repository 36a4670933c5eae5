"""What a page lacks of the log: read in one go, drawn once, the same for everyone who lacks the same."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from artifacts import log
from artifacts.core import events as artifact_events
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.models import Artifact, Event
from artifacts.web.consumers import cursor
from artifacts.web.showing import Beside, Shown, beside
from artifacts.web.showing import drawn as artifact_drawn
from artifacts.web.sockets import LARGEST
from artifacts.web.together import Together
from threads.core import events
from threads.models import Focus, Thread
from threads.web.page import focused, unarchived
from threads.web.reading import PAGE
from threads.web.said import entries
from threads.web.standing import Standing, standing
from threads.web.things import Thing, draw, draw_changes, gathered

KEPT = 64
"""Drawn news that are kept for others who lack the same."""

SHOWS_AN_ARTIFACT = (*artifact_events.ABOUT_ARTIFACTS, events.ARTIFACT_FOLLOWED)

BEGINS = {events.RUN_STARTED, events.RETRY_REQUESTED}
NO_RETRY = '<i hx-swap-oob="innerHTML:.retry"></i>'
"""Once something begins, what ended before is tried again no more."""


@dataclass(frozen=True, slots=True)
class Changed:
    """An artifact that something happened to; `by_agent` if this thread's agent did it."""

    artifact: Artifact
    beside: Beside
    by_agent: bool


@dataclass(frozen=True, slots=True)
class News:
    """Events since some `seq`, up to `head`, and how what they change stands now."""

    head: int
    things: dict[int, Thing]
    older: dict[int, Thing]
    standing: Standing
    focus: list[Artifact]
    """The artifacts that the thread follows, archived ones too."""
    changed: list[Changed]
    too_many: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """Messages to send, in order; the last carries the page's new place, and what is no longer live."""

    head: int
    messages: list[str]
    durable: frozenset[str] = frozenset()
    followed: frozenset[str] = frozenset()
    too_many: bool = False


def read(workspace_id: str, thread_id: str, after: int) -> News:
    """What happened in a thread and to its artifacts after `after`. Runs in a database thread.

    The events are read first: how things stand is never older than what has happened. What is newer comes once more.
    """
    ids = Focus.objects.filter(thread_id=thread_id).values("artifact")
    window = log.read(workspace_id, after=after, thread=thread_id, artifacts=ids, limit=PAGE + 1)
    thread = Thread.objects.select_related("run").get(pk=thread_id)
    focus = {str(row.pk): row for row in focused(thread)}
    own = [event for event in window.events if event.thread == thread_id]
    return News(
        head=window.head,
        things=gathered(own),
        older=_older(workspace_id, own),
        standing=standing(thread),
        focus=list(focus.values()),
        changed=_changed(thread_id, window.events, focus),
        too_many=len(window.events) > PAGE,
    )


def _changed(thread_id: str, events: list[Envelope], focus: dict[str, Artifact]) -> list[Changed]:
    """The artifacts that something happened to, each once, as they are now."""
    by_agent = {
        str(event.artifact): event.thread == thread_id for event in events if event.type in SHOWS_AN_ARTIFACT
    }
    return [Changed(focus[id], beside(focus[id]), opens) for id, opens in by_agent.items() if id in focus]


def _older(workspace: str, own: list[Envelope]) -> dict[int, Thing]:
    """The things that were there before and that these events change, with the newest that is said about them."""
    here = {event.seq for event in own}
    wanted = {event.about for event in own if event.about and event.about not in here and event.thread}
    if not wanted:
        return {}
    rows = Event.objects.filter(workspace_id=workspace, seq__in=wanted)
    return gathered([row.envelope() for row in rows], own)


def drawn(news: News, *, first: bool) -> Drawn:
    """The news as messages. `first` is what a page gets as it connects: how everything stands, and no reading aloud."""
    durable = {part for thing in news.things.values() for part in thing.event.data.get("parts", ())}
    pieces = [*_states(news, first=first), *_said(news, first=first)]
    return Drawn(
        head=news.head,
        messages=list(_packed(pieces, news)),
        durable=frozenset(durable),
        followed=frozenset(str(row.pk) for row in news.focus),
        too_many=news.too_many,
    )


def _states(news: News, *, first: bool) -> Iterator[str]:
    """What is replaced as a whole: the thread's standing, the tabs, the artifact that is open."""
    if news.things or first:
        yield render_to_string("threads/_standing.html", {"standing": news.standing, "oob": True})
    happened = {thing.event.type for thing in news.things.values()}
    if happened & BEGINS:
        yield NO_RETRY
    if news.changed or first or events.ARTIFACT_DROPPED in happened:
        yield render_to_string("threads/_tabs.html", _tabs(news))
    for changed in news.changed:
        yield _artifact(artifact_drawn(changed.artifact, changed.beside), opens=changed.by_agent)


def _tabs(news: News) -> dict[str, Any]:
    return {"thread_id": news.standing.thread, "followed": unarchived(news.focus), "oob": True}


def _artifact(shown: Shown, *, opens: bool) -> str:
    """An artifact as it is. What the agent changes opens itself, unless something is open there."""
    place = f"#artifact[data-id='{shown.id}']"
    where = f"#panel:not(:has(.opened)) #artifact,{place}" if opens else place
    return render_to_string("artifacts/_artifact.html", {"artifact": shown, "oob": f"outerHTML:{where}"})


def _said(news: News, *, first: bool) -> list[str]:
    said = entries([thing.event for thing in news.things.values()], late=first)
    return [render_to_string("threads/_said.html", {"entries": said})] if said else []


def _packed(pieces: list[str], news: News) -> Iterator[str]:
    """Messages of bounded size. The page's place moves on only with what it then has."""
    message = ""
    for piece in pieces:
        if message and len(message) + len(piece) > LARGEST:
            yield message
            message = ""
        message += piece
    place = 0
    for seq, thing in news.things.items():
        piece = _element(thing, news)
        if message and len(message) + len(piece) > LARGEST:
            yield message + (cursor(place) if place else "")
            message = ""
        message, place = message + piece, seq
    yield message + cursor(news.head)


def _element(thing: Thing, news: News) -> str:
    """An event's element, and the parts that it replaces of a thing that was there before."""
    element = f'<div hx-swap-oob="beforeend:#things">{draw(thing)}</div>'
    older = news.older.get(thing.event.about or 0)
    return element + (draw_changes(older, thing.event) if older else "")


_together: Together[tuple[str, int, int], Drawn] = Together(KEPT)


async def news_since(workspace_id: str, thread_id: str, after: int, head: int) -> Drawn:
    """The news after `after`, for all who heard that the log has grown to `head`: read and drawn once."""
    return await _together.get((thread_id, after, head), lambda: fresh_news(workspace_id, thread_id, after))


async def fresh_news(workspace_id: str, thread_id: str, after: int, *, first: bool = False) -> Drawn:
    """The news after `after`, for one page."""
    news = await in_database(read, workspace_id, thread_id, after)
    return await asyncio.to_thread(drawn, news, first=first)
