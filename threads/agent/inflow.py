"""What reaches a turn in progress: steering and change notes, from the log into the run's queue.

Each becomes a message of its own in the queue, known by metadata. `position` is how far the log is taken: up to the
first entry that is still pending, else up to what was read. Both come from the same step as the messages they stand
for, so nothing here awaits.
"""

import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.tools import RunContext

from artifacts.core.envelope import Envelope
from artifacts.log import Window
from threads.agent.session import Session
from threads.core import events
from threads.core.history import WITHDRAWN_MARK
from threads.turns.delivering import Delivery, delivery
from threads.turns.saving import Fact

MARK = "artifactr"


@dataclass(frozen=True, slots=True)
class Pending:
    """A message in the queue: the first `seq` in it, its mark, and its id in the queue."""

    seq: int
    mark: str
    queued: str
    delivery: Delivery


class Inflow:
    """Feeds one run. `stopped` once the log has a stop for it: nothing after that is delivered."""

    def __init__(self, session: Session, ctx: RunContext[Session]) -> None:
        self.stopped = False
        self.frozen = False
        self._session = session
        self._ctx = ctx
        self._read = session.claimed.read
        self._pending: list[Pending] = []
        self._parts: dict[int, UserPromptPart] = {}

    @property
    def position(self) -> int:
        """How far the log is taken, if all but what is pending is saved."""
        return min((pending.seq - 1 for pending in self._pending), default=self._read)

    def receive(self, window: Window) -> None:
        """Queue what a window of the log has for the agent."""
        if self.frozen:
            return
        fresh = [event for event in window.events if event.seq > self._read]
        stop = next((event.seq for event in fresh if self._stops(event)), None)
        heard = [event for event in fresh if stop is None or event.seq < stop]
        for event in heard:
            if event.thread == self._session.claimed.thread:
                self._notice(event)
        self._queue(heard)
        self._read = window.head if stop is None else stop - 1
        self.stopped = self.frozen = stop is not None

    def forget(self, withdrawn: Collection[int]) -> None:
        """These were withdrawn when it was too late to take them back, and are not delivered: the model sees a mark."""
        for seq in withdrawn:
            if (part := self._parts.get(seq)) is not None:
                part.content = WITHDRAWN_MARK

    def freeze_at_end(self, ctx: RunContext[Session], *, paused: bool) -> None:
        """The run would end or pause now: take back what is queued, unless a person's message lets it go on.

        Called between the node's end and the run's own look at the queue, without an await.
        """
        steered = any(pending.delivery.messages for pending in self._pending)
        if steered and not paused and not self.stopped:
            return
        self.frozen = True
        for pending in self._pending:
            ctx.dequeue(pending.queued)

    def carries(self, message: ModelRequest) -> bool:
        """Whether a message came out of the queue."""
        return MARK in (message.metadata or {})

    def delivered_with(self, message: ModelRequest) -> list[Fact]:
        """The facts of what a message delivered; it is pending no more."""
        mark = (message.metadata or {}).get(MARK)
        found = [pending for pending in self._pending if pending.mark == mark]
        self._pending = [pending for pending in self._pending if pending.mark != mark]
        return [fact for pending in found for fact in _facts(pending.delivery)]

    def _notice(self, event: Envelope) -> None:
        """What an event of this thread changes in what the agent is given."""
        match event.type:
            case events.ARTIFACT_FOLLOWED:
                # One that was followed before goes on to be followed since then.
                self._session.focus.setdefault(str(event.artifact), event.seq)
            case events.ARTIFACT_DROPPED:
                self._session.focus.pop(str(event.artifact), None)
            case events.MESSAGE_WITHDRAWN:
                # What is on its way to the model already is no longer in the queue: the save that delivers it decides.
                self._pending = [
                    pending
                    for pending in self._pending
                    if pending.seq != event.about or not self._ctx.dequeue(pending.queued)
                ]

    def _stops(self, event: Envelope) -> bool:
        return event.type == events.STOP_REQUESTED and event.data["run"] == self._session.claimed.run

    def _queue(self, heard: Iterable[Envelope]) -> None:
        heard = list(heard)
        found = delivery(heard, self._session.claimed.thread, self._session.focus)
        if found.notes:
            first = min(event.seq for event in heard if event.artifact in self._session.focus)
            self._enqueue(first, Delivery(notes=found.notes))
        for message in found.messages:
            self._enqueue(message.seq, Delivery(messages=[message]))

    def _enqueue(self, seq: int, found: Delivery) -> None:
        mark = uuid.uuid4().hex
        parts = [UserPromptPart(part["content"]) for part in found.parts()]
        self._parts |= {message.seq: part for message, part in zip(found.messages, parts, strict=False)}
        queued = self._ctx.enqueue(ModelRequest(parts=parts, metadata={MARK: mark}))
        assert queued is not None  # only an empty message is not queued
        self._pending.append(Pending(seq, mark, queued, found))


def _facts(found: Delivery) -> list[Fact]:
    told = [Fact(events.CHANGES_TOLD, {"notes": found.notes})] if found.notes else []
    return told + [Fact(events.MESSAGE_DELIVERED, {}, about=message.seq) for message in found.messages]
