"""What every socket does: it delivers and takes nothing, says that it is alive, and closes when its reader may no
longer read, be it that they signed out, were deactivated or left."""

import asyncio
import contextvars
import hashlib
import logging
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest

from artifacts.core.rejections import NotFound
from artifacts.database import in_database
from artifacts.relay import relay

logger = logging.getLogger(__name__)

SIGNED_OUT, NO_LONGER, NOT_HERE, RELOAD = 4401, 4403, 4404, 4409
ALIVE_SECONDS = 10.0
CHECK_SECONDS = 30.0
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
    after: int
    channel_layer_alias = "none"
    """What concerns several processes comes by their one relay: a layer that is away refuses no page its socket."""

    _task: asyncio.Task[None] | None = None
    _doubt: asyncio.Event

    def check(self) -> None:
        """Raise `NotFound` unless `self.user` may read this now. Runs in a database thread."""
        raise NotImplementedError

    async def deliver(self) -> None:
        """Send all there is to send, until the task is cancelled or `Over` is raised."""
        raise NotImplementedError

    async def connect(self) -> None:
        """Accept first: only an open socket can be closed with a code that says why."""
        await self.accept()
        self._doubt = asyncio.Event()
        try:
            self.after = after_of(self.scope["query_string"])
            self.user = signed_in(self.scope.get("user"))
            await self._check(first=True)
        except Over as over:
            await self.close(over.code)
            return
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._owners = digest_of(self.scope["session"]), str(self.user.pk)
        for owner in self._owners:
            _of[owner].add(self)
        self._task = self._loop.create_task(self._work(), context=contextvars.Context())

    async def disconnect(self, code: int) -> None:
        """Stop delivering."""
        if self._task is not None:
            self._task.cancel()
            for owner in self._owners:
                _of[owner].discard(self)
                if not _of[owner]:
                    del _of[owner]

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Sockets accept no commands: whatever comes is dropped."""

    def sign_out(self) -> None:
        """The reader's session ended. In any thread."""
        with suppress(RuntimeError):  # the loop is closed: the process ends
            self._loop.call_soon_threadsafe(self._ended.set)

    def doubt(self) -> None:
        """Check at once whether the reader may still read. In the socket's loop."""
        self._doubt.set()

    def reconsider(self) -> None:
        """Something happened to the reader's account, or to what they read. In any thread."""
        with suppress(RuntimeError):  # as above
            self._loop.call_soon_threadsafe(self.doubt)

    async def _work(self) -> None:
        checking = asyncio.create_task(self._keep_checking())
        delivering = asyncio.create_task(self.deliver())
        alive = asyncio.create_task(self._stay_alive())
        ended = asyncio.create_task(self._until_signed_out())
        tasks = {checking, delivering, alive, ended}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            await self.close(_code_of(done))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _stay_alive(self) -> None:
        while True:
            await asyncio.sleep(ALIVE_SECONDS)
            await self.send(text_data="")

    async def _until_signed_out(self) -> None:
        await self._ended.wait()
        raise Over(SIGNED_OUT)

    async def _keep_checking(self) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._doubt.wait(), CHECK_SECONDS)
            self._doubt.clear()
            await self._check()

    async def _check(self, *, first: bool = False) -> None:
        try:
            if not await in_database(session_stands, self.scope["session"], self.user):
                raise Over(SIGNED_OUT)
            await in_database(self.check)
        except NotFound:
            raise Over(NOT_HERE if first else NO_LONGER) from None


def _code_of(done: set[asyncio.Task[None]]) -> int:
    """1011 is not ours to send: a socket that broke closes with a code after which the page connects again."""
    for task in done:
        error = task.exception() if not task.cancelled() else None
        if isinstance(error, Over):
            return error.code
        if error is not None:
            logger.error("a socket broke", exc_info=error)
    return 3000


def signed_in(user: Any) -> User:
    """The reader. Raises `Over` for nobody."""
    if not isinstance(user, User) or not user.is_active:
        raise Over(SIGNED_OUT)
    return user


def session_stands(session: SessionBase, user: User) -> bool:
    """Whether the session was not ended, and the account neither deactivated nor given another password."""
    if session.session_key is None or not session.exists(session.session_key):
        return False
    now = User.objects.filter(pk=user.pk, is_active=True).first()
    return now is not None and now.get_session_auth_hash() == user.get_session_auth_hash()


def after_of(query: bytes) -> int:
    """The `seq` after which the page needs events. Raises `Over` where it names none."""
    for field in query.decode("latin-1").split("&"):
        name, _, value = field.partition("=")
        if name == "after" and value.isdecimal() and len(value) < 19:
            return int(value)
    raise Over(NOT_HERE)


def digest_of(session: SessionBase) -> str:
    """What a session is known by to other processes: not its key, with which anyone could enter."""
    return hashlib.sha256(str(session.session_key).encode()).hexdigest()[:40]


_of: defaultdict[str, set[DeliveringConsumer]] = defaultdict(set)
"""The sockets of each session, by its digest, and of each person, by their id, in this process."""

SIGNED_OUT_TOPIC, RECONSIDER_TOPIC = "signed out", "reconsider"


@receiver(user_logged_out, dispatch_uid="artifacts.web.sockets")
def close_sockets(request: HttpRequest | None = None, **kwargs: Any) -> None:
    """Close the sockets of the session that ends, in every process. A process that does not hear it finds it out."""
    if request is not None and request.session.session_key is not None:
        session = digest_of(request.session)
        _close(relay.name, session)
        relay.say(SIGNED_OUT_TOPIC, session)


def reconsider_sockets(user_ids: Iterable[int]) -> None:
    """Have all sockets of these people, in every process, look at once whether they may still read."""
    people = [str(user_id) for user_id in user_ids]
    _reconsider(relay.name, people)
    relay.say(RECONSIDER_TOPIC, people)


def _close(by: str, session: str) -> None:
    for socket in list(_of.get(session, ())):
        socket.sign_out()


def _reconsider(by: str, people: list[str]) -> None:
    for person in people:
        for socket in list(_of.get(person, ())):
            socket.reconsider()


relay.hearing(SIGNED_OUT_TOPIC, _close)
relay.hearing(RECONSIDER_TOPIC, _reconsider)
