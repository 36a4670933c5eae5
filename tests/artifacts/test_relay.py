"""The relay between processes, here two in one loop, over a Redis of the tests' own that comes and goes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
from channels_redis.pubsub import RedisPubSubChannelLayer

from artifacts import relay as relaying
from artifacts.relay import BACK, CAME, GONE, Relay
from tests.services.redis import Redis

pytestmark = pytest.mark.redis


class Process:
    """A relay of its own, as another process has one, and what it heard."""

    def __init__(self, redis: Redis) -> None:
        self.relay = Relay()
        self.layer = RedisPubSubChannelLayer(hosts=[redis.url], prefix="tests")
        self.heard: list[tuple[str, Any]] = []
        self._news = asyncio.Event()
        for topic in ("word", BACK, CAME, GONE):
            self.relay.hearing(topic, partial(self._hear, topic))

    def _hear(self, topic: str, by: str, said: Any) -> None:
        self.heard.append((topic, said))
        self._news.set()

    async def hears(self, *wanted: tuple[str, Any], seconds: float = 10) -> None:
        async with asyncio.timeout(seconds):
            while not set(wanted) <= set(self.heard):
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def processes(redis: Redis, count: int) -> AsyncIterator[list[Process]]:
    running = [Process(redis) for _ in range(count)]
    for process in running:
        await process.relay.start(process.layer)
    try:
        yield running
    finally:
        for process in running:
            await process.relay.close()
            await process.layer.flush()


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.01)


async def test_what_one_says_the_others_hear_in_order_and_it_does_not(redis: Redis) -> None:
    async with processes(redis, 3) as (one, two, three):
        await one.hears((CAME, None))
        for number in range(50):
            one.relay.say("word", number)
        for other in (two, three):
            await other.hears(("word", 49))
            assert [said for topic, said in other.heard if topic == "word"] == list(range(50))
        assert not [said for topic, said in one.heard if topic == "word"]


async def test_what_is_said_in_a_room_is_heard_by_those_who_joined_it(redis: Redis) -> None:
    async with processes(redis, 3) as (one, two, three):
        for process in (one, two, three):
            await process.hears((BACK, None))
        two.relay.join("room")
        two.relay.say("word", "joined")
        await one.hears(("word", "joined"))
        one.relay.say("word", "inside", "room")
        one.relay.say("word", "to all")
        await two.hears(("word", "inside"), ("word", "to all"))
        await three.hears(("word", "to all"))
        assert ("word", "inside") not in three.heard
        two.relay.leave("room")
        two.relay.say("word", "left")
        await one.hears(("word", "left"))
        one.relay.say("word", "again", "room")
        one.relay.say("word", "the end")
        await two.hears(("word", "the end"))
        assert ("word", "again") not in two.heard


async def test_a_redis_that_is_away_is_survived_and_its_return_is_told(redis: Redis) -> None:
    async with processes(redis, 2) as (one, two):
        await two.hears((BACK, None), (CAME, None))
        redis.stop()
        one.relay.say("word", "lost")
        two.relay.join("room")
        await until(lambda: one.relay._layer_is == two.relay._layer_is == "away")
        one.heard.clear()
        two.heard.clear()
        redis.start()
        for process in (one, two):
            await process.hears((BACK, None), seconds=15)
        one.relay.say("word", "back", "room")
        await two.hears(("word", "back"))
        assert ("word", "lost") not in two.heard


async def test_a_process_can_start_while_redis_is_away_and_says_so_once(
    redis: Redis, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaying, "AWAY_SECONDS", 0.02)
    redis.stop()
    async with processes(redis, 2) as (one, two):
        await until(lambda: caplog.text.count("the channel layer is away") == 2)
        one.relay.say("word", "to nobody")
        await asyncio.sleep(0.2)
        assert caplog.text.count("the channel layer is away") == 2, "once each, however often they try"
        redis.start()
        await one.hears((BACK, None), (CAME, None), seconds=15)
        one.relay.say("word", "hello")
        await two.hears(("word", "hello"))


async def test_who_says_nothing_any_more_is_gone(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relaying, "BEAT_SECONDS", 0.05)
    monkeypatch.setattr(relaying, "SILENT_SECONDS", 0.3)
    async with processes(redis, 2) as (one, two):
        await one.hears((CAME, None))
        await two.relay.close()
        await one.hears((GONE, None))
        assert one.relay.others == 0
        await two.relay.start(two.layer)
        one.heard.clear()
        await one.hears((CAME, None))
