"""A page's socket without a browser: a consumer on channels' test wire, with what the middleware would give it."""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser, User

from artifacts.database import in_database
from artifacts.web.sockets import DeliveringConsumer

SEEN = re.compile(r'id="event-(\d+)" data-seq')
CURSOR = re.compile(r'id="cursor" data-seq="(\d+)"')


class Socket:
    """One page's socket, and what it received."""

    def __init__(self, wire: WebsocketCommunicator) -> None:
        self.wire = wire
        self.received: list[str] = []

    @property
    def html(self) -> str:
        return "".join(self.received)

    @property
    def seqs(self) -> list[int]:
        return [int(seq) for seq in SEEN.findall(self.html)]

    @property
    def after(self) -> int:
        return int(CURSOR.findall(self.html)[-1])

    async def until(self, words: str) -> str:
        """Receive until something with these words came; all that came."""
        async with asyncio.timeout(5):
            while words not in self.html:
                self.received.append(str(await self.wire.receive_from(timeout=5)))
        return self.html

    async def code(self) -> int:
        """Receive until it closes; the code."""
        while True:
            message = await self.wire.receive_output(timeout=5)
            if message["type"] == "websocket.close":
                return int(message["code"])


def session_of(user: User) -> Any:
    """A session in which somebody is signed in."""
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session


@asynccontextmanager
async def connected(
    consumer: type[DeliveringConsumer],
    arguments: Mapping[str, Any],
    user: User | AnonymousUser,
    after: object,
    session: Any,
) -> AsyncIterator[Socket]:
    """A page that is connected. `arguments` are what the route found in the address."""
    wire = WebsocketCommunicator(consumer.as_asgi(), f"/ws/?after={after}")
    scope: dict[str, Any] = wire.scope  # type: ignore[assignment]  # with what the middleware adds
    scope.update(user=user, session=session, url_route={"kwargs": dict(arguments)})
    assert (await wire.connect())[0]
    try:
        yield Socket(wire)
    finally:
        await wire.disconnect()


async def session_for(user: User) -> Any:
    """`session_of`, from async code."""
    return await in_database(session_of, user)
