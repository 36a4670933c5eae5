"""The socket of a workspace's pages: a word whenever something changed that they show.

It says only that there is news, by the page's new place in the log. The page then asks for what it shows, because that
differs by person and by what they search for.
"""

import asyncio

from artifacts import log
from artifacts.core import events
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.members import workspace_for
from artifacts.web.consumers import cursor
from artifacts.web.doorkeeping import doorkeeper
from artifacts.web.following import following
from artifacts.web.sockets import RELOAD, DeliveringConsumer, Over

SHOWN = frozenset({*events.ABOUT_ARTIFACTS, *events.ABOUT_MEMBERS, *events.ABOUT_INVITATIONS})
REST_SECONDS = 1.0
"""Between two messages: an agent at work changes much, and every page asks again."""


class WorkspaceConsumer(DeliveringConsumer):
    """Says when the documents or the members of a workspace changed."""

    _id: str
    _newest = 0

    def admit(self) -> str:
        """The workspace. Raises `NotFound` for strangers."""
        self._id = str(workspace_for(self.user, str(self.scope["url_route"]["kwargs"]["workspace_id"])).pk)
        return self._id

    async def deliver(self) -> None:
        """Tell of news, what the page missed while it was away included."""
        self._news = asyncio.Event()
        with following(self._id, self.after, self._heard):
            head = await in_database(log.head, self._id)
            if self.after > head:
                raise Over(RELOAD)
            self._tell(head)
            while True:
                await self._news.wait()
                self._news.clear()
                self.after = self._newest
                await self.send(text_data=cursor(self.after))
                await asyncio.sleep(REST_SECONDS)

    def _heard(self, written: list[Envelope]) -> None:
        shown = [event for event in written if event.type in SHOWN]
        if any(event.type in events.ABOUT_MEMBERS for event in shown):
            doorkeeper.doubt()
        if shown:
            self._tell(shown[-1].seq)

    def _tell(self, seq: int) -> None:
        self._newest = max(self._newest, seq)
        if self._newest > self.after:
            self._news.set()
