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
from threads.agent.runner import Runner
from threads.core.decisions import QUESTION, Answer, Approve
from threads.models import Request
from threads.turns import answer, post, stop


class Round:
    """A thread of its own, and the steps that its model takes."""

    kills = False
    runner: Runner

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
        assert self.room.status_now() == "idle", "the round is over once the thread is at rest"
        check_thread(self.room.id, kills=self.kills)
        check_log(self.room.workspace)
        return points

    async def story(self, points: Points) -> None:
        """One message; whatever is asked is answered."""
        async with running() as self.runner:
            await in_database(self.message("message 0"))
            await self.answered(points)
            points.close()
            await self.answered(points)

    async def answered(self, points: Points) -> None:
        """Answer what is asked until the thread is idle.

        What is planned can still happen after it, at a point to which only a watcher's read comes. Once the points are
        closed nothing can, and the thread is at rest.
        """
        while await self.settled(points) == "paused":
            await in_database(self._answer_one)

    async def settled(self, points: Points) -> str:
        """The thread's state once nothing is at work, in the thread, its Runner or a database thread."""
        async with asyncio.timeout(60):
            while True:
                seen, active = points.count, points.active
                status = await self.room.status()
                is_quiet = not active and (seen, 0) == (points.count, points.active)
                if status != "running" and is_quiet and not self.runner._tasks:
                    return status
                await asyncio.sleep(0.002)

    def _answer_one(self) -> None:
        request = Request.objects.filter(thread_id=self.room.id, state="open").first()
        if request is None:
            return
        with suppress(Rejection):  # a message or a stop was first
            answer(self.alice, str(request.pk), Answer("this") if request.kind == QUESTION else Approve())
