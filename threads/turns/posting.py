"""A person says something. In a paused thread the same transaction settles what is open with it."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from artifacts.core.text import checked
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.statements import updating
from threads.core import events, status
from threads.core.rejections import MessageIdReused
from threads.models import Thread
from threads.turns.allowing import require_pace, require_run
from threads.turns.settling import settle_with_message
from threads.turns.writing import require_writer, write_in_thread

MESSAGE_LIMIT = 100_000
MESSAGE_ID_LIMIT = 64


@dataclass(frozen=True, slots=True)
class Posted:
    """Where the message stands in the log, whether it stood there before, and whether it answered a paused run."""

    seq: int
    repeated: bool
    reply: bool


def post(user: User, thread_id: str, message_id: str, content: str) -> Posted:
    """Post a message. The same `message_id` and content of the same person again is no new message.

    Raises `NotFound`, `Forbidden`, `Archived`, `Invalid`, `TooLarge` `MessageIdReused`, `TooManyMessages`,
    `TooManyRuns` or `DayUsedUp`.
    """

    def decide(entry: Entry, thread: Thread) -> Posted:
        require_writer(user, thread)
        key = key_of(user, thread, message_id)
        if (before := earlier_post(entry, key, events.MESSAGE_POSTED, content)) is not None:
            return before
        require_pace(user, entry.at)
        if thread.status == status.IDLE:
            require_run(user, thread, entry.at)
        return _append(entry, thread, message_id, content, key)

    return write_in_thread(thread_id, actor_of(user), decide)


def key_of(user: User, thread: Thread, message_id: str) -> str:
    """What makes a message of this id one: its author and its thread. Raises `Invalid` or `TooLarge`."""
    checked("message_id", message_id, limit=MESSAGE_ID_LIMIT)
    return f"message:{thread.pk}:{user.pk}:{message_id}"


def earlier_post(entry: Entry, key: str, type: str, content: str) -> Posted | None:
    """What an earlier try with the same key posted. Raises `MessageIdReused`, `Invalid` or `TooLarge`."""
    checked("content", content, limit=MESSAGE_LIMIT)
    if (earlier := entry.find(key)) is None:
        return None
    if (earlier.type, earlier.data["content"]) != (type, content):
        raise MessageIdReused
    return Posted(earlier.seq, repeated=True, reply=earlier.data.get("reply", False))


def _append(entry: Entry, thread: Thread, message_id: str, content: str, key: str) -> Posted:
    run = thread.run
    reply = run is not None and run.status == status.PAUSED
    data = {
        "content": content,
        "message_id": message_id,
        "reply": reply,
        "run": str(run.pk) if run and reply else None,
    }
    seq = entry.append(events.MESSAGE_POSTED, data, thread=str(thread.pk), key=key)
    thread.changed_at = entry.at
    if run is not None and reply:
        settle_with_message(entry, run, content, seq)
    else:
        thread.asked_seq = seq
    entry.store(updating(thread, "asked_seq", "changed_at"))
    return Posted(seq, repeated=False, reply=reply)
