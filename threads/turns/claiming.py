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
from artifacts.prepared import Prepared, given_number
from artifacts.statements import Statement, inserting, updating
from threads.core import events, history, status
from threads.core.history import RETRIED_MARK
from threads.core.limits import added
from threads.models import Chunk, Run, Thread
from threads.turns.charging import tokens_a_day
from threads.turns.closing import close
from threads.turns.delivering import Delivery, deliver_replies, record_delivery, undelivered
from threads.turns.lease import held, lapsing
from threads.turns.owed import owed, tail_of
from threads.turns.retrying import RETRY
from threads.turns.writing import write_in_thread

ACCOUNT = Prepared(lambda: User.objects.filter(pk=given_number("user")).order_by())

ABANDONED = (
    "The server stopped three times while it worked on this, without getting any further. Try it again."
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A thread was taken: whose work it is, and from what the turn goes on.

    `position` is how far the log is taken, and `read` how far the claim has read it and written it itself: what comes
    after that is for the turn to follow. `asked_before` says that the run has paused before. `spent` is the usage that
    counts towards the run's limits, `tokens_a_day` what the workspace may use.
    """

    token: str
    thread: str
    workspace: str
    run: str
    user: str
    trigger: str
    position: int
    read: int
    asked_before: bool = False
    spent: Mapping[str, float] = field(default_factory=dict)
    tokens_a_day: int | None = None


def claim(thread_id: str, token: str, owner: str, model: str = "") -> Claimed | None:
    """Take the thread for the turn `token` if it is free and has work; None otherwise.

    The caller makes the token (a UUID) before its first try, so that a repeated try finds what the first one did.
    """

    def decide(entry: Entry, thread: Thread) -> Claimed | None:
        if str(thread.claim) == token:
            return _claimed(thread, token, read=thread.taken_seq)
        if held(thread):
            return None
        return _take(entry, thread, token, owner, model)

    return write_in_thread(thread_id, agent_actor(thread_id), decide)


def _take(entry: Entry, thread: Thread, token: str, owner: str, model: str) -> Claimed | None:
    found = _work(entry, thread)
    if found is None:
        return None
    run, trigger = found.run, found.trigger
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
    is_new = run._state.adding
    given, is_told = _what_is_owed(entry, thread, found)
    going_on = inserting(run) if is_new else updating(run, "seq", "trigger", "status", "attempt")
    taken = updating(thread, "claim", "owner", "run", "taken_seq")
    entry.store(going_on, *given, taken, lapsing(thread))
    return _claimed(thread, token, read=entry.last if is_told else thread.taken_seq)


@dataclass(frozen=True, slots=True)
class Work:
    """The run to go on with, what makes it go on, and what waits for it, if that was looked for."""

    run: Run
    trigger: str
    waiting: Delivery | None = None


def _work(entry: Entry, thread: Thread) -> Work | None:
    """What there is to do, if there is anything. Ends what cannot go on."""
    run = thread.run
    if run is not None and run.status == status.READY:
        run.attempt = 1
        return Work(run, "resume" if run.paused_seq else RETRY)
    if run is not None and run.status == status.RUNNING:
        if run.stop_seq is not None:
            close(entry, thread, run, status.STOPPED)
        elif run.attempt >= status.ATTEMPTS:
            close(entry, thread, run, status.FAILED, "abandoned", ABANDONED)
        else:
            run.attempt += 1
            return Work(run, "continue")
    if run is not None and run.status == status.PAUSED:
        return None
    return _new_run(entry, thread)


def _new_run(entry: Entry, thread: Thread) -> Work | None:
    if thread.asked_seq <= thread.taken_seq or thread.archived_at is not None:
        return None
    waiting = undelivered(thread, entry.head)
    if not waiting.messages:
        return None
    author = ACCOUNT.first(user=waiting.messages[0].actor.id)
    run = Run(id=uuid.uuid4(), thread=thread, user=author, seq=0, started_at=entry.at)
    return Work(run, "message", waiting)


def _what_is_owed(entry: Entry, thread: Thread, work: Work) -> tuple[list[Statement], bool]:
    """A chunk with what the model is given: the returns it is owed, a mark on a retry, then notes and messages; and
    whether it is told all that the log has for it.

    While approved calls are still to run, their returns come first: then messages and notes follow as steering.
    """
    run = work.run
    if run.trigger == "resume":
        deliver_replies(entry, thread, run)
    entry.flush()  # what an end before it has added
    results = owed(entry, run, history.open_calls(tail_of(thread)))
    returns = [history.tool_return(call, result) for call, result in results.items() if result is not None]
    if run.trigger == RETRY:
        returns.append(history.prompt(RETRIED_MARK))
    if is_told := None not in results.values():
        delivered = work.waiting or undelivered(thread, entry.head)
    else:
        delivered = Delivery()
    if not (parts := returns + delivered.parts()):
        return [], is_told
    record_delivery(entry, thread, run, delivered)
    if is_told:
        thread.taken_seq = entry.head
    messages = json.dumps([history.request(parts)])
    return [inserting(Chunk(thread=thread, run=run, seq=thread.taken_seq, messages=messages))], is_told


def _name(run: Run) -> str:
    return actor_of(run.user).name if run.user else ""


def _claimed(thread: Thread, token: str, read: int) -> Claimed:
    run = thread.run
    assert run is not None  # a thread that is held has a run
    return Claimed(
        token=token,
        thread=str(thread.pk),
        workspace=str(thread.workspace_id),
        run=str(run.pk),
        user=str(run.user_id),
        trigger=run.trigger,
        position=thread.taken_seq,
        read=read,
        asked_before=run.paused_seq > 0,
        spent=added(run.before, run.usage),
        tokens_a_day=tokens_a_day(thread.workspace),
    )
