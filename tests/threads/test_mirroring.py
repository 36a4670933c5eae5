"""What a run produces is seen alike in another process, whatever is lost on the way: two hubs in one loop."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from channels.layers import InMemoryChannelLayer

from artifacts.relay import Relay
from tests.shares import share
from threads import mirroring
from threads.live import Hub, LiveRun
from threads.mirroring import FRAME

THREAD = "thread"


class Lossy(InMemoryChannelLayer):
    """A layer that loses some frames, as Redis does that comes and goes."""

    def __init__(self, loses: Callable[[], bool]) -> None:
        super().__init__(capacity=10_000)
        self.loses = loses

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        frames = any(topic == FRAME for topic, _ in message["said"])
        if not (frames and self.loses()):
            await super().group_send(group, message)


@asynccontextmanager
async def two(loses: Callable[[], bool] = lambda: False) -> AsyncIterator[tuple[Hub, Hub]]:
    """The hub of the process that runs, and of one whose pages watch."""
    layer, relays, hubs = Lossy(loses), [Relay(), Relay()], (Hub(), Hub())
    for hub, relay in zip(hubs, relays, strict=True):
        mirroring.connect(hub, relay)
        await relay.start(layer)
    await until(lambda: all(relay.others for relay in relays))
    yield hubs
    for relay in relays:
        await relay.close()


async def until(true: Callable[[], bool], seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.002)


def seen(run: LiveRun | None) -> list[tuple[Any, ...]] | None:
    """What a run shows."""
    return (
        None if run is None else [(part.id, part.kind, part.text, part.draft) for part in run.parts.values()]
    )


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirroring, "EVERY_SECONDS", 0.004)


async def test_who_watches_sees_what_there_was_and_what_comes_and_the_end() -> None:
    async with two() as (here, there):
        with here.running(THREAD) as run:
            run.grow("a", "text", "before ")
            await asyncio.sleep(0.02)
            with there.watch(THREAD) as watch:
                await until(lambda: seen(there.get(THREAD)) == seen(run))
                run.grow("a", "text", "after")
                assert await watch.wait(5)
                await until(lambda: seen(there.get(THREAD)) == [("a", "text", "before after", None)])
                run.show_draft("d", {"kind": "document", "title": "Tea", "text": "Hot"})
                await until(lambda: seen(there.get(THREAD)) == seen(run))
                run.show_draft("d", {"kind": "document", "title": "Tea!", "text": "Hot water"})
                await until(lambda: seen(there.get(THREAD)) == seen(run))
                run.show_draft("d", {"kind": "document", "title": "Tea!", "text": "Cold"})
                run.drop(["a"])
                await until(lambda: seen(there.get(THREAD)) == seen(run))
                here._runs.pop(THREAD)
                here.wake(THREAD)
                await until(lambda: there.get(THREAD) is None)


async def test_nothing_is_mirrored_that_nobody_watches() -> None:
    async with two() as (here, there):
        with here.running(THREAD) as run:
            with there.watch(THREAD):
                run.grow("a", "text", "words")
                await until(lambda: there.get(THREAD) is not None)
            assert there.get(THREAD) is None
            run.grow("a", "text", " more")
            await asyncio.sleep(0.03)
            assert there.get(THREAD) is None


async def test_the_next_turn_replaces_what_is_left_of_the_last() -> None:
    async with two() as (here, there):
        with there.watch(THREAD):
            for words in ("one", "two"):
                with here.running(THREAD) as run:
                    run.grow(words, "text", words)
                    await until(lambda words=words: seen(there.get(THREAD)) == [(words, "text", words, None)])  # type: ignore[misc]


@pytest.mark.parametrize("seed", range(share(200, 20)))
async def test_a_mirror_whose_frames_are_lost_repairs_itself(seed: int) -> None:
    chance = random.Random(seed)
    losing = True
    async with two(lambda: losing and chance.random() < 0.3) as (here, there):
        with there.watch(THREAD), here.running(THREAD) as run:
            said = ""
            for number in range(30):
                match chance.randrange(5):
                    case 0 | 1:
                        run.grow(f"t{number // 8}", "text", f"{number} ")
                    case 2:
                        said = said + f"{number} " if chance.random() < 0.8 else ""
                        run.show_draft("d", {"kind": "document", "title": str(number // 3), "text": said})
                    case 3:
                        over = [id for id in run.parts if id not in (f"t{number // 8}", "d")]
                        run.drop(over[:1])  # what is over comes no more
                    case _:
                        await asyncio.sleep(chance.uniform(0, 0.008))
                mirrored = there.get(THREAD)
                for part in mirrored.parts.values() if mirrored else ():
                    if part.id in run.parts and part.kind == "text":
                        assert run.parts[part.id].text.startswith(part.text), "never what was not said"
            losing = False
            run.grow("last", "text", "the end")
            await asyncio.sleep(0.02)
            run.grow("last", "text", ".")
            await until(lambda: seen(there.get(THREAD)) == seen(run))
