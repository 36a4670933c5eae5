"""One script played with a plan of what happens when, and every promise checked after it."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
from django.contrib.auth.models import User

from artifacts.core.rejections import Rejection
from artifacts.database import in_database
from tests.kit import Room, Script, Step, playing, running
from tests.promises import check_log, check_thread
from tests.threads.interleaving import Happening, Points, counting
from threads.core.decisions import QUESTION, Answer, Approve
from threads.models import Request
from threads.turns import answer, post, stop


class Round:
    """A thread of its own, and the steps that its model takes."""

    kills = False

    def __init__(self, alice: User, steps: Sequence[Step], monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = Room.open(alice)
        self.alice = alice
        self.steps = steps
        self.monkeypatch = monkeypatch
        self.ran: list[str] = []

    def message(self, text: str) -> Happening:
        """A message that is posted."""
        return lambda: post(self.alice, self.room.id, uuid.uuid4().hex, text)

    def stop(self) -> None:
        """A stop, if there is something to stop."""
        with suppress(Rejection):
            stop(self.alice, self.room.id)

    def play(self, plan: Mapping[int, Happening], yields: int = 0) -> Points:
        """Play the script and then check every promise; what was planned and never came does not happen."""
        points = Points(plan, yields)
        script = Script(*self.steps, checkpoint=points.checkpoint)
        with playing(script) as ran, counting(points, self.monkeypatch):
            asyncio.run(self.story(points))
            self.ran = list(ran)
        check_thread(self.room.id, kills=self.kills)
        check_log(self.room.workspace)
        return points

    async def story(self, points: Points) -> None:
        """One message; whatever is asked is answered."""
        async with running() as self.runner:
            await in_database(self.message("message 0"))
            await self.answered(points)

    async def answered(self, points: Points) -> None:
        """Answer what is asked until the thread is idle."""
        await self.settled(points)
        while await self.room.status() == "paused":
            await in_database(self._answer_one)
            await self.settled(points)

    async def settled(self, points: Points) -> None:
        """Nothing is at work, in the thread, in the Runner or in a database thread, and nothing was while we looked."""
        async with asyncio.timeout(20):
            while True:
                seen, active = points.count, points.active
                if (
                    await self.room.status() != "running"
                    and not (active or self.runner._tasks)
                    and (seen, 0) == (points.count, points.active)
                ):
                    return
                await asyncio.sleep(0.002)

    def _answer_one(self) -> None:
        request = Request.objects.filter(thread_id=self.room.id, state="open").first()
        if request is None:
            return
        with suppress(Rejection):  # a message or a stop was first
            answer(self.alice, str(request.pk), Answer("this") if request.kind == QUESTION else Approve())
