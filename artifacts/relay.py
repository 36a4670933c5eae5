"""What the processes of one installation tell one another, beside the database.

Nothing durable travels here: what is said may come late or never, and whoever hears it looks in the database, or
waits for what is said next. The channel layer carries it (Redis, where there are several processes); each process
has one subscription, and tells those who listen in it. While the layer is away, what is said is dropped.
"""

import asyncio
import contextlib
import logging
import uuid
from collections import defaultdict
from collections.abc import Callable, Coroutine
from contextvars import Context
from itertools import groupby
from typing import Any, Literal

from channels.layers import BaseChannelLayer

logger = logging.getLogger(__name__)

type Hear = Callable[[str, Any], None]

EVERYONE = "everyone"
ALIVE, BACK, CAME, GONE = "alive", "back", "came", "gone"
"""Topics about the relay itself. `BACK`: the layer answers, at first or again; what was said meanwhile is lost. `CAME`
and `GONE`: a process is heard of, and not any more."""

BEAT_SECONDS = 5.0
SILENT_SECONDS = 16.0
"""After which a process that says nothing counts as gone."""

AWAY_SECONDS = 0.5
ANSWER_SECONDS = 3.0
MOST_WAITING = 5_000
"""What one process may have to say at once; beyond that it is dropped, as if the layer were away."""


class Relay:
    """One process' place among the others. All but `say` is for its event loop; hearers are called there."""

    def __init__(self) -> None:
        self.name = uuid.uuid4().hex[:12]
        self._hearers: defaultdict[str, list[Hear]] = defaultdict(list)
        self._rooms = {EVERYONE}
        self._todo: list[tuple[str, str, Any]] = []
        self._woken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._layer_is: Literal["unknown", "here", "away"] = "unknown"
        self._heard_of: dict[str, float] = {}

    @property
    def others(self) -> int:
        """How many other processes are heard of."""
        return len(self._heard_of)

    def hearing(self, topic: str, hear: Hear) -> None:
        """Call `hear` with who says something of a topic, by process, and with what it says."""
        self._hearers[topic].append(hear)

    def no_longer_hearing(self, topic: str, hear: Hear) -> None:
        """Call it no more."""
        self._hearers[topic].remove(hear)

    async def start(self, layer: BaseChannelLayer) -> None:
        """Take part, as soon as the layer answers."""
        self._loop, self._layer = asyncio.get_running_loop(), layer
        self._woken, self._layer_is = asyncio.Event(), "unknown"
        self._channel: asyncio.Future[str] = self._loop.create_future()
        self._tasks = [self._task(work()) for work in (self._speak, self._listen, self._beat)]

    async def close(self) -> None:
        """Say what is still to be said, and take part no more."""
        if self._loop is None:
            return
        said = self._loop.create_future()
        self._will_do((EVERYONE, "closing", said))
        self._loop = None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(said, AWAY_SECONDS)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._todo.clear()
        self._heard_of.clear()

    def say(self, topic: str, said: Any, room: str = EVERYONE) -> None:
        """Tell the other processes that are in a room. In any thread; what `said` holds is plain data."""
        self._do(room, topic, said)

    def join(self, room: str) -> None:
        """Hear what is said in a room from now on, what is asked for after this included."""
        self._rooms.add(room)
        self._do(room, "join", None)

    def leave(self, room: str) -> None:
        """Hear no more of it."""
        self._rooms.discard(room)
        self._do(room, "leave", None)

    def _task(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return asyncio.get_running_loop().create_task(work, context=Context())

    def _do(self, room: str, what: str, said: Any) -> None:
        if (loop := self._loop) is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: the process ends
                loop.call_soon_threadsafe(self._will_do, (room, what, said))

    def _will_do(self, step: tuple[str, str, Any]) -> None:
        if len(self._todo) < MOST_WAITING:
            self._todo.append(step)
            self._woken.set()

    async def _speak(self) -> None:
        """Do in order what is to be done; while the layer is away, only try to be back."""
        while True:
            try:
                if self._layer_is != "here":
                    await self._come_back()
                await self._woken.wait()
                self._woken.clear()
                steps, self._todo = self._todo, []
                for room, these in groupby(steps, key=lambda step: step[0]):
                    await self._carry_out(room, list(these))
            except Exception as error:  # noqa: BLE001 (whatever a layer's client raises: it is away)
                if self._layer_is != "away":
                    logger.warning("the channel layer is away (%s); others are told nothing", _name(error))
                self._layer_is = "away"
                await asyncio.sleep(AWAY_SECONDS)

    async def _come_back(self) -> None:
        async with asyncio.timeout(ANSWER_SECONDS):
            if not self._channel.done():
                self._channel.set_result(await self._layer.new_channel())
            await self._layer.group_send(EVERYONE, self._message([]))
            for room in list(self._rooms):
                await self._layer.group_add(room, self._channel.result())
        self._todo.clear()
        self._layer_is = "here"
        logger.info("the channel layer answers")
        self._tell(BACK, self.name)
        self.say(ALIVE, None)

    async def _carry_out(self, room: str, steps: list[tuple[str, str, Any]]) -> None:
        async with asyncio.timeout(ANSWER_SECONDS):
            said = []
            for _, what, data in steps:
                if what == "join":
                    await self._layer.group_add(room, self._channel.result())
                elif what == "leave" and room not in self._rooms:
                    await self._layer.group_discard(room, self._channel.result())
                elif what not in ("leave", "closing"):
                    said.append([what, data])
            if said:
                await self._layer.group_send(room, self._message(said))
        if steps[-1][1] == "closing":
            steps[-1][2].set_result(None)

    def _message(self, said: list[Any]) -> dict[str, Any]:
        return {"type": "relay", "by": self.name, "said": said}

    async def _listen(self) -> None:
        channel = await self._channel
        while True:
            message = await self._layer.receive(channel)
            if (by := message["by"]) != self.name:
                came = by not in self._heard_of
                self._heard_of[by] = asyncio.get_running_loop().time()
                if came:
                    self.say(ALIVE, None)  # it may have come too late to hear of us
                    self._tell(CAME, by)
                for topic, said in message["said"]:
                    self._tell(topic, by, said)

    async def _beat(self) -> None:
        """Say that we are there, and notice who is not."""
        while True:
            self.say(ALIVE, None)
            await asyncio.sleep(BEAT_SECONDS)
            silent = asyncio.get_running_loop().time() - SILENT_SECONDS
            for by in [by for by, at in self._heard_of.items() if at < silent]:
                del self._heard_of[by]
                self._tell(GONE, by)

    def _tell(self, topic: str, by: str, said: Any = None) -> None:
        for hear in list(self._hearers[topic]):
            try:
                hear(by, said)
            except Exception:
                logger.exception("somebody who listens to %s failed; the others are told", topic)


def _name(error: Exception) -> str:
    return type(error).__name__


relay = Relay()
"""This process' own."""
