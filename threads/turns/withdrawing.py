"""A message is taken back before the agent was given it.

Whether it was given is a fact of the log, `message_delivered`, which is written with the history that holds the
message; so under the workspace's lock either the withdrawal or the delivery comes first, and the other finds it there.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User

from artifacts.core.rejections import Forbidden, NotFound
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Event
from threads.core import events
from threads.core.rejections import AlreadyDelivered
from threads.models import Thread
from threads.turns.writing import require_writer, write_in_thread


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """Where the withdrawal stands in the log, and whether it stood there before."""

    seq: int
    repeated: bool


def withdraw(user: User, thread_id: str, message: int) -> Withdrawn:
    """Take back one's own message, named by its `seq`.

    Raises `NotFound`, `Forbidden`, `Archived` or `AlreadyDelivered`.
    """

    def decide(entry: Entry, thread: Thread) -> Withdrawn:
        require_writer(user, thread)
        posted = _own_message(user, thread, message)
        fate = _fates(thread, [message]).get(message)
        if fate is not None and fate.type == events.MESSAGE_WITHDRAWN:
            return Withdrawn(fate.seq, repeated=True)
        if fate is not None or posted.data["reply"]:
            raise AlreadyDelivered
        [seq] = take_back(entry, thread, [message])
        return Withdrawn(seq, repeated=False)

    return write_in_thread(thread_id, actor_of(user), decide)


def waiting(thread: Thread) -> list[int]:
    """The messages that the agent was not given yet, in order. What answered a pause has reached it already."""
    posted = Event.objects.filter(
        thread=thread.pk, type=events.MESSAGE_POSTED, seq__gt=thread.taken_seq, data__reply=False
    )
    found = list(posted.order_by("seq").values_list("seq", flat=True))
    fates = _fates(thread, found)
    return [seq for seq in found if seq not in fates]


def take_back(entry: Entry, thread: Thread, messages: Iterable[int]) -> list[int]:
    """Record that these waiting messages were withdrawn, by whom the entry is: the `seq` of each record.

    What the thread is still asked is then the last message that waits, so that no run begins for nothing.
    """
    taken = list(messages)
    seqs = [
        entry.append(events.MESSAGE_WITHDRAWN, {}, thread=str(thread.pk), about=message) for message in taken
    ]
    left = [seq for seq in waiting(thread) if seq not in taken]
    thread.asked_seq = max(left, default=min(thread.asked_seq, thread.taken_seq))
    thread.save(update_fields=("asked_seq",))
    return seqs


def withdrawn_of(thread: Thread, messages: Iterable[int]) -> set[int]:
    """Which of these messages were withdrawn."""
    fates = _fates(thread, messages).items()
    return {message for message, fate in fates if fate.type == events.MESSAGE_WITHDRAWN}


def _own_message(user: User, thread: Thread, message: int) -> Event:
    posted = Event.objects.filter(thread=thread.pk, type=events.MESSAGE_POSTED, seq=message).first()
    if posted is None:
        raise NotFound("This message")
    actor = actor_of(user)
    if (posted.actor_kind, posted.actor_id) != (actor.kind, actor.id):
        raise Forbidden(f"Only {posted.actor_name} may withdraw this message.")
    return posted


def _fates(thread: Thread, messages: Iterable[int]) -> dict[int, Event]:
    """What became of messages: their delivery or their withdrawal."""
    found = Event.objects.filter(
        workspace_id=thread.workspace_id,
        about__in=list(messages),
        type__in=(events.MESSAGE_DELIVERED, events.MESSAGE_WITHDRAWN),
    )
    return {event.about: event for event in found if event.about is not None}
