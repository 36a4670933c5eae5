"""What every socket does: it delivers and takes nothing, says that it is alive, and closes when its reader may no
longer read, be it that they signed out, were deactivated or left."""

import asyncio
import contextvars
import hashlib
import logging
from collections import defaultdict
from contextlib import suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest

from artifacts.core.envelope import seq_in
from artifacts.core.rejections import NotFound
from artifacts.database import in_database
from artifacts.relay import relay
from artifacts.web.doorkeeping import SIGNED_OUT, Guest, doorkeeper, unwelcome

logger = logging.getLogger(__name__)

NOT_HERE, RELOAD, BROKEN = 4404, 4409, 3000
ALIVE = " "
"""What says that the link is alive. Daphne sends no message that is empty."""

LARGEST = 200_000
"""Characters of one message; Daphne refuses those above 1 MiB."""


class Over(Exception):
    """The socket has nothing more to deliver. Its argument is the code to close it with."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class DeliveringConsumer(AsyncWebsocketConsumer):
    """A socket that only delivers. A subclass says whom it lets in and what it delivers."""

    user: User
    guest: Guest
    after: int
    channel_layer_alias = "none"
    """What concerns several processes comes by their one relay: a layer that is away refuses no page its socket."""

    _task: asyncio.Task[None] | None = None
    _code: asyncio.Future[int]

    def admit(self) -> str:
        """The workspace of what `self.user` wants to read. Raises `NotFound` unless they may.

        Runs in a database thread.
        """
        raise NotImplementedError

    async def deliver(self) -> None:
        """Send all there is to send, until the task is cancelled or `Over` is raised."""
        raise NotImplementedError

    async def connect(self) -> None:
        """Accept first: only an open socket can be closed with a code that says why."""
        await self.accept()
        try:
            self.after = after_of(self.scope["query_string"])
            self.user = signed_in(self.scope.get("user"))
            await self._enter()
        except Over as over:
            await self.close(over.code)
            return
        self._task = asyncio.create_task(self._work(), context=contextvars.Context())

    async def _enter(self) -> None:
        """Once the doorkeeper knows of the socket, nothing that happens to its reader is missed."""
        session = self.scope["session"]
        try:
            workspace = await in_database(self.admit)
        except NotFound:
            raise Over(NOT_HERE) from None
        self._loop, self._code = asyncio.get_running_loop(), asyncio.Future()
        self.guest = Guest(str(session.session_key), self.user.pk, self.user.password, workspace)
        self._session = digest_of(session)
        _of[self._session].add(self)
        doorkeeper.enter(self)
        if code := (await in_database(unwelcome, [self.guest])).get(self.guest):
            self._leave()
            raise Over(code)

    async def disconnect(self, code: int) -> None:
        """Stop delivering."""
        if self._task is not None:
            self._task.cancel()
            self._leave()

    def _leave(self) -> None:
        doorkeeper.leave(self)
        _of[self._session].discard(self)
        if not _of[self._session]:
            del _of[self._session]

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Sockets accept no commands: whatever comes is dropped."""

    async def reassure(self) -> None:
        """Say that the link is alive."""
        await self.send(text_data=ALIVE)

    def show_out(self, code: int) -> None:
        """Close, and say why. In the socket's loop."""
        if not self._code.done():
            self._code.set_result(code)

    def sign_out(self) -> None:
        """The reader's session ended. In any thread."""
        with suppress(RuntimeError):  # the loop is closed: the process ends
            self._loop.call_soon_threadsafe(self.show_out, SIGNED_OUT)

    async def _work(self) -> None:
        delivering = asyncio.create_task(self._delivered())
        ends: set[asyncio.Future[int]] = {delivering, self._code}
        try:
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            await self.close(done.pop().result())
        finally:
            delivering.cancel()
            await asyncio.wait([delivering])

    async def _delivered(self) -> int:
        """Deliver; the code to close with.

        1011 is not ours to send: a socket that broke closes with a code after which the page connects again.
        """
        try:
            await self.deliver()
        except Over as over:
            return over.code
        except Exception:
            logger.exception("a socket broke")
        return BROKEN


def signed_in(user: Any) -> User:
    """The reader. Raises `Over` for nobody."""
    if not isinstance(user, User) or not user.is_active:
        raise Over(SIGNED_OUT)
    return user


def after_of(query: bytes) -> int:
    """The `seq` after which the page needs events. Raises `Over` where it names none."""
    for field in query.decode("latin-1").split("&"):
        name, _, value = field.partition("=")
        if name == "after" and (seq := seq_in(value)) is not None:
            return seq
    raise Over(NOT_HERE)


def digest_of(session: SessionBase) -> str:
    """What a session is known by to other processes: not its key, with which anyone could enter."""
    return hashlib.sha256(str(session.session_key).encode()).hexdigest()[:40]


_of: defaultdict[str, set[DeliveringConsumer]] = defaultdict(set)
"""The sockets of each session, by its digest, in this process."""

SIGNED_OUT_TOPIC, RECONSIDER_TOPIC = "signed out", "reconsider"


@receiver(user_logged_out, dispatch_uid="artifacts.web.sockets")
def close_sockets(request: HttpRequest | None = None, **kwargs: Any) -> None:
    """Close the sockets of the session that ends, in every process. A process that does not hear it finds it out."""
    if request is not None and request.session.session_key is not None:
        session = digest_of(request.session)
        _close(relay.name, session)
        relay.say(SIGNED_OUT_TOPIC, session)


def reconsider_sockets() -> None:
    """Look at once, in every process, whether those with open sockets may still read."""
    doorkeeper.doubt()
    relay.say(RECONSIDER_TOPIC, None)


def _close(by: str, session: str) -> None:
    for socket in list(_of.get(session, ())):
        socket.sign_out()


relay.hearing(SIGNED_OUT_TOPIC, _close)
relay.hearing(RECONSIDER_TOPIC, lambda by, said: doorkeeper.doubt())
