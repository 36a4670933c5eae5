"""A thread gets another title."""

from django.contrib.auth.models import User

from artifacts.core.text import checked
from artifacts.log import Entry
from artifacts.members import actor_of
from threads.core import events
from threads.models import Thread
from threads.turns.creating import TITLE_LIMIT
from threads.turns.writing import require_writer, write_in_thread


def rename(user: User, thread_id: str, title: str) -> int:
    """Give a thread a title; return the `seq`. Raises `NotFound`, `Forbidden`, `Archived`, `Invalid` or `TooLarge`."""

    def decide(entry: Entry, thread: Thread) -> int:
        require_writer(user, thread)
        said = checked("title", title.strip(), limit=TITLE_LIMIT)
        if said == thread.title:
            return entry.head
        Thread.objects.filter(pk=thread.pk).update(title=said)
        return entry.append(events.THREAD_RENAMED, {"title": said}, thread=str(thread.pk))

    return write_in_thread(thread_id, actor_of(user), decide)
