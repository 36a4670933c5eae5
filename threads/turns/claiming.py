"""A turn begins: somebody takes a thread that has work, and stores what the model is to be given.

The turn then always runs without a new prompt, on the history: a start, a resumption and a continuation are one
path, and a crash before the first response loses nothing.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from artifacts.core.actors import agent_actor
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Event
from threads.core import events, history, status
from threads.core.history import RETRIED_MARK
from threads.core.limits import added
from threads.models import Chunk, Run, Thread
from threads.turns.charging import tokens_a_day
from threads.turns.closing import close
from threads.turns.delivering import Delivery, deliver_replies, record_delivery, undelivered
from threads.turns.lease import held, lease
from threads.turns.owed import owed, tail_of
from threads.turns.retrying import RETRY
from threads.turns.writing import write_in_thread

ABANDONED = (
    "The server stopped three times while it worked on this, without getting any further. Try it again."
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A thread was taken: whose work it is, and from what the turn goes on.

    `spent` is the usage that counts towards the run's limits, `tokens_a_day` what the workspace may use.
    """

    token: str
    thread: str
    workspace: str
    run: str
    user: str
    trigger: str
    position: int
    model: str = ""
    spent: Mapping[str, float] = field(default_factory=dict)
    tokens_a_day: int | None = None


def claim(thread_id: str, token: str, owner: str, model: str = "") -> Claimed | None:
    """Take the thread for the turn `token` if it is free and has work; None otherwise.

    The caller makes the token (a UUID) before its first try, so that a repeated try finds what the first one did.
    """

    def decide(entry: Entry, thread: Thread) -> Claimed | None:
        if str(thread.claim) == token:
            return _claimed(thread, token)
        if held(thread):
            return None
        return _take(entry, thread, token, owner, model)

    return write_in_thread(thread_id, agent_actor(thread_id), decide)


def _take(entry: Entry, thread: Thread, token: str, owner: str, model: str) -> Claimed | None:
    run, trigger = _work(entry, thread)
    if run is None:
        return None
    thread.claim, thread.owner = uuid.UUID(token), owner
    thread.run = run
    begun = entry.append(
        events.RUN_STARTED,
        {"run": str(run.pk), "trigger": trigger, "user": run.user_id, "for": _name(run), "model": model},
        thread=str(thread.pk),
        about=run.seq or None,
        key=f"{token}:start",
    )
    run.seq, run.trigger, run.status = run.seq or begun, trigger, status.RUNNING
    run.save()
    _store_what_is_owed(entry, thread, run)
    thread.save()
    Thread.objects.filter(pk=thread.pk).update(claimed_until=lease())
    return _claimed(thread, token)


def _work(entry: Entry, thread: Thread) -> tuple[Run | None, str]:
    """The run to go on with, or a new one, and the trigger. Ends what cannot go on."""
    run = thread.run
    if run is not None and run.status == status.READY:
        run.attempt = 1
        return run, "resume" if run.paused_seq else RETRY
    if run is not None and run.status == status.RUNNING:
        if run.stop_seq is not None:
            close(entry, thread, run, status.STOPPED)
        elif run.attempt >= status.ATTEMPTS:
            close(entry, thread, run, status.FAILED, "abandoned", ABANDONED)
        else:
            run.attempt += 1
            return run, "continue"
    if run is not None and run.status == status.PAUSED:
        return None, ""
    return _new_run(entry, thread)


def _new_run(entry: Entry, thread: Thread) -> tuple[Run | None, str]:
    asked = thread.asked_seq > thread.taken_seq and thread.archived_at is None
    waiting = undelivered(thread, entry.head).messages if asked else []
    if not waiting:
        return None, ""
    author = User.objects.filter(pk=waiting[0].actor.id).first()
    return Run(id=uuid.uuid4(), thread=thread, user=author, seq=0, started_at=entry.at), "message"


def _store_what_is_owed(entry: Entry, thread: Thread, run: Run) -> None:
    """Store as a chunk what the model is given: the returns it is owed, a mark on a retry, then notes and messages.

    While approved calls are still to run, their returns come first: then messages and notes follow as steering.
    """
    if run.trigger == "resume":
        deliver_replies(entry, thread, run)
    results = owed(entry, run, history.open_calls(tail_of(thread)))
    returns = [history.tool_return(call, result) for call, result in results.items() if result is not None]
    if run.trigger == RETRY:
        returns.append(history.prompt(RETRIED_MARK))
    delivered = Delivery() if None in results.values() else undelivered(thread, entry.head)
    if parts := returns + delivered.parts():
        record_delivery(entry, thread, run, delivered)
        if None not in results.values():
            thread.taken_seq = entry.head
        messages = json.dumps([history.request(parts)])
        Chunk.objects.create(thread=thread, run=run, seq=thread.taken_seq, messages=messages)


def _name(run: Run) -> str:
    return actor_of(run.user).name if run.user else ""


def _claimed(thread: Thread, token: str) -> Claimed:
    run = thread.run
    assert run is not None  # a thread that is held has a run
    started = Event.objects.filter(workspace_id=thread.workspace_id, key=f"{token}:start").first()
    return Claimed(
        token=token,
        thread=str(thread.pk),
        workspace=str(thread.workspace_id),
        run=str(run.pk),
        user=str(run.user_id),
        trigger=run.trigger,
        position=thread.taken_seq,
        model=started.data["model"] if started else "",
        spent=added(run.before, run.usage),
        tokens_a_day=tokens_a_day(thread.workspace),
    )
