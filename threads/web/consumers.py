"""The socket of a thread's page. One loop: what is written since the page's place in the log, what is being written
since what this page has of it, one message, a short rest."""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress

from django.template.loader import render_to_string

from artifacts import log
from artifacts.core import events as artifact_events
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.members import actor_of
from artifacts.web import presence
from artifacts.web.consumers import elsewhere
from artifacts.web.doorkeeping import doorkeeper
from artifacts.web.following import following
from artifacts.web.sockets import LARGEST, RELOAD, DeliveringConsumer, Over
from threads.live import Watch, hub
from threads.models import Thread
from threads.reading import thread_for
from threads.sights import LISTED
from threads.web.live import LiveView, Part, Watcher, view_of
from threads.web.news import Drawn, fresh_news, news_since
from threads.web.page import room_of

RESTS = (0.06, 0.12, 0.24, 0.48)
"""Seconds between two messages: what comes meanwhile is sent together. The longer ones are for a process that is late.
Each is a multiple of those before it: so all who watch wake at the same moments, and share what is drawn."""

MEMBERS = (artifact_events.MEMBER_CHANGED, artifact_events.MEMBER_LEFT)

CLEAR = '<div id="live" hx-swap-oob="innerHTML"></div><div id="drafts" hx-swap-oob="innerHTML"></div>'
"""A page that connects again may still show what was being written before."""


class ThreadConsumer(DeliveringConsumer):
    """Delivers a thread's events and live output."""

    thread: Thread
    _watch: Watch
    _elsewhere = 0
    """The newest event that the sidebar should show, and that is not of this thread."""

    def admit(self) -> str:
        """The thread's workspace. Raises `NotFound` for strangers."""
        self.thread = thread_for(self.user, str(self.scope["url_route"]["kwargs"]["thread_id"]))
        return str(self.thread.workspace_id)

    async def deliver(self) -> None:
        """Send until the reader goes."""
        self._id, self._workspace = str(self.thread.pk), str(self.thread.workspace_id)
        self._here: list[presence.Present] = []
        self._who_is_here_changed = True
        self._seen, self._heard_head, self._followed, self._watcher = 0, 0, frozenset[str](), Watcher()
        head = await in_database(log.head, self._workspace)
        if self.after > head:
            raise Over(RELOAD)
        if head > self.after:
            self._elsewhere = head
        me = await in_database(actor_of, self.user)
        with (
            following(self._workspace, self.after, self._heard),
            hub.watch(self._id) as self._watch,
            presence.attending(room_of(self._id), me, _in_loop(self._came_or_went)),
        ):
            view = view_of(self._id)
            parts = view.take(hub.get(self._id))
            news = await fresh_news(self._workspace, self._id, self.after, first=True)
            await self._send_news(parts, news, before=CLEAR)
            rest = RESTS[0]
            while True:
                await self._watch.wait(self._watcher.seconds_left())
                await self._send_what_is_new(view)
                rest = await _rested(rest)

    async def _send_what_is_new(self, view: LiveView) -> None:
        """The live parts are looked at first: what has left them by then is in the log that is read after."""
        await self._send_what_is_beside()
        parts = view.take(hub.get(self._id))
        if self._heard_head > self.after:
            news = await news_since(self._workspace, self._id, self.after, self._heard_head)
            await self._send_news(parts, news)
        elif html := self._watcher.removals(parts) + self._watcher.additions(parts):
            await self.send(text_data=html)

    async def _send_what_is_beside(self) -> None:
        """Who else is here, and a word that other threads have moved on."""
        html = self._who_is_here() if self._who_is_here_changed else ""
        if moved := self._elsewhere:
            self._elsewhere = 0
            html += elsewhere(moved)
        if html:
            await self.send(text_data=html)

    def _who_is_here(self) -> str:
        self._who_is_here_changed = False
        before, self._here = self._here, presence.present(room_of(self._id))
        if self._here == before:
            return ""
        return render_to_string("threads/_here.html", {"here": self._here, "oob": True})

    async def _send_news(self, parts: dict[str, Part], drawn: Drawn, before: str = "") -> None:
        if drawn.too_many:
            raise Over(RELOAD)
        for message in drawn.messages[:-1]:
            await self.send(text_data=message)
        last = before + drawn.messages[-1] + self._watcher.removals(parts, drawn.durable)
        additions = self._watcher.additions(parts)
        self._take_place(drawn)
        if len(last) + len(additions) <= LARGEST:
            await self.send(text_data=last + additions)
        else:
            await self.send(text_data=last)
            await self.send(text_data=additions)

    def _take_place(self, drawn: Drawn) -> None:
        """Go on from there. What happened meanwhile to an artifact that is newly followed is looked at again."""
        self.after = max(self.after, drawn.head)
        if drawn.followed - self._followed:
            self._heard_head = max(self._heard_head, self._seen)
            self._watch.wake()
        self._followed = drawn.followed

    def _came_or_went(self) -> None:
        self._who_is_here_changed = True
        self._watch.wake()

    def _heard(self, events: list[Envelope]) -> None:
        for event in events:
            self._seen = event.seq
            if event.thread == self._id or event.artifact in self._followed:
                self._heard_head = event.seq
            elif event.type in LISTED:
                self._elsewhere = event.seq
            if event.type in MEMBERS:
                doorkeeper.doubt()
        self._watch.wake()


async def _rested(seconds: float) -> float:
    """Rest for about so long, until a moment that all share; how long to rest the next time, by how late it became."""
    loop = asyncio.get_running_loop()
    moment = math.ceil(loop.time() / seconds + 0.5) * seconds
    await asyncio.sleep(moment - loop.time())
    late = loop.time() - moment
    return next((rest for rest in RESTS if rest > late * 4), RESTS[-1])


def _in_loop(wake: Callable[[], None]) -> Callable[[], None]:
    """The same from any thread; after the end of the loop, nothing."""
    loop = asyncio.get_running_loop()

    def called() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(wake)

    return called
