"""What every socket does: it delivers and takes nothing, says that it is alive, and closes when its reader may no
longer read, be it that they signed out, were deactivated or left."""

import asyncio
import contextvars
import hashlib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from asgiref.sync import async_to_sync
from channels.generic.websocket import AsyncWebsocketConsumer
from channels.layers import get_channel_layer
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.contrib.sessions.backends.base import SessionBase
from django.dispatch import receiver
from django.http import HttpRequest

from artifacts.core.rejections import NotFound
from artifacts.database import in_database

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
        await self._join()
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._work(), context=contextvars.Context())

    async def disconnect(self, code: int) -> None:
        """Stop delivering."""
        if self._task is not None:
            self._task.cancel()
            with survived("leave its groups"):
                for group in self._groups():
                    await self.channel_layer.group_discard(group, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Sockets accept no commands: whatever comes is dropped."""

    async def signed_out(self, message: dict[str, Any]) -> None:
        """The reader's session ended."""
        if self._task is not None:
            self._task.cancel()
        await self.close(SIGNED_OUT)

    async def reconsider(self, message: dict[str, Any]) -> None:
        """Something happened to the reader's account, or to what they read."""
        self.doubt()

    def doubt(self) -> None:
        """Check at once whether the reader may still read."""
        self._doubt.set()

    async def _join(self) -> None:
        """Hear of the session's end at once. While the channel layer is away, the checks find it out later."""
        with survived("join its groups"):
            for group in self._groups():
                await self.channel_layer.group_add(group, self.channel_name)

    def _groups(self) -> tuple[str, str]:
        return group_of(self.scope["session"]), f"user.{self.user.pk}"

    async def _work(self) -> None:
        checking = asyncio.create_task(self._keep_checking())
        delivering = asyncio.create_task(self.deliver())
        alive = asyncio.create_task(self._stay_alive())
        tasks = {checking, delivering, alive}
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


def group_of(session: SessionBase) -> str:
    """The channel group of all sockets of a session."""
    return "session." + hashlib.sha256(str(session.session_key).encode()).hexdigest()[:40]


@receiver(user_logged_out, dispatch_uid="artifacts.web.sockets")
def close_sockets(request: HttpRequest | None = None, **kwargs: Any) -> None:
    """Close the sockets of the session that ends."""
    layer = get_channel_layer()
    if layer is None or request is None or request.session.session_key is None:
        return
    with survived("be told that its session ended"):
        async_to_sync(layer.group_send)(group_of(request.session), {"type": "signed.out"})


def reconsider_sockets(user_ids: Iterable[int]) -> None:
    """Have all sockets of these people look at once whether they may still read."""
    layer = get_channel_layer()
    if layer is None:
        return
    for user_id in user_ids:
        with survived("be told to look again"):
            async_to_sync(layer.group_send)(f"user.{user_id}", {"type": "reconsider"})


@contextmanager
def survived(what: str) -> Iterator[None]:
    """A channel layer that is away is no reason to refuse a page or a sign-out."""
    try:
        yield
    except Exception:
        logger.exception("a socket could not %s", what)
