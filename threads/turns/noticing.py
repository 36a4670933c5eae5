"""A person says something to the other people of a thread. It never reaches the agent, and answers nothing."""

from django.contrib.auth.models import User

from artifacts.log import Entry
from artifacts.members import actor_of
from threads.core import events
from threads.models import Thread
from threads.turns.posting import Posted, earlier_post, key_of
from threads.turns.writing import require_writer, write_in_thread


def post_notice(user: User, thread_id: str, message_id: str, content: str) -> Posted:
    """Post a notice. The same `message_id` and content of the same person again is no new notice.

    Raises `NotFound`, `Forbidden`, `Archived`, `Invalid`, `TooLarge` or `MessageIdReused`.
    """

    def decide(entry: Entry, thread: Thread) -> Posted:
        require_writer(user, thread)
        key = key_of(user, thread, message_id)
        if (before := earlier_post(entry, key, events.NOTICE_POSTED, content)) is not None:
            return before
        data = {"content": content, "message_id": message_id}
        seq = entry.append(events.NOTICE_POSTED, data, thread=str(thread.pk), key=key)
        Thread.objects.filter(pk=thread.pk).update(changed_at=entry.at)
        return Posted(seq, repeated=False, reply=False)

    return write_in_thread(thread_id, actor_of(user), decide)
