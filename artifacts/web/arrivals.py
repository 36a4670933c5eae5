"""The socket of a workspace's pages: a word whenever something changed that they show.

It says only that there is news, by the page's new place in the log, or by that of what stands beside it. The page then
asks for what it shows, because that differs by person and by what they search for.
"""

import asyncio
from collections.abc import Collection

from artifacts import log
from artifacts.core import events
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.members import workspace_for
from artifacts.web.consumers import cursor, elsewhere
from artifacts.web.doorkeeping import doorkeeper
from artifacts.web.following import following
from artifacts.web.sockets import RELOAD, DeliveringConsumer, Over

SHOWN = frozenset({*events.ABOUT_ARTIFACTS, *events.ABOUT_MEMBERS, *events.ABOUT_INVITATIONS})
REST_SECONDS = 1.0
"""Between two messages: an agent at work changes much, and every page asks again."""


class WorkspaceConsumer(DeliveringConsumer):
    """Says when the documents or the members of a workspace changed, or what its sidebar lists."""

    listed: Collection[str] = ()
    """Types of the events that change what the sidebar lists: the app that fills it knows them."""

    _id: str
    _shown: int
    _listed: int

    def admit(self) -> str:
        """The workspace. Raises `NotFound` for strangers."""
        self._id = str(workspace_for(self.user, str(self.scope["url_route"]["kwargs"]["workspace_id"])).pk)
        return self._id

    async def deliver(self) -> None:
        """Tell of news, what the page missed while it was away included."""
        self._news, self._shown, self._listed = asyncio.Event(), self.after, self.after
        with following(self._id, self.after, self._heard):
            head = await in_database(log.head, self._id)
            if self.after > head:
                raise Over(RELOAD)
            self._tell(head, head)
            while True:
                await self._news.wait()
                self._news.clear()
                await self.send(text_data=cursor(self._shown) + elsewhere(self._listed))
                await asyncio.sleep(REST_SECONDS)

    def _heard(self, written: list[Envelope]) -> None:
        if any(event.type in events.ABOUT_MEMBERS for event in written):
            doorkeeper.doubt()
        self._tell(_newest(written, SHOWN), _newest(written, self.listed))

    def _tell(self, shown: int, listed: int) -> None:
        """The newest that the page shows, and that its sidebar lists; what it has is no news."""
        if shown > self._shown or listed > self._listed:
            self._shown, self._listed = max(self._shown, shown), max(self._listed, listed)
            self._news.set()


def _newest(written: list[Envelope], types: Collection[str]) -> int:
    return max((event.seq for event in written if event.type in types), default=0)
