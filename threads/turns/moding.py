"""Whether a thread's agent edits, or only suggests: a person says it, and it holds from the agent's next change on."""

from django.contrib.auth.models import User

from artifacts.core.rejections import Invalid
from artifacts.log import Entry
from artifacts.members import actor_of
from threads.core import events
from threads.models import Thread
from threads.turns.writing import require_writer, write_in_thread


def set_mode(user: User, thread_id: str, mode: str) -> int:
    """Set it to `edit` or `suggest`; return the `seq`. Raises `NotFound`, `Forbidden`, `Archived` or `Invalid`."""

    def decide(entry: Entry, thread: Thread) -> int:
        require_writer(user, thread)
        if mode not in Thread.Mode.values:
            raise Invalid({"mode": f"Choose one of {', '.join(Thread.Mode.values)}."})
        if mode == thread.mode:
            return entry.head
        Thread.objects.filter(pk=thread.pk).update(mode=mode)
        return entry.append(events.MODE_CHANGED, {"mode": mode}, thread=str(thread.pk))

    return write_in_thread(thread_id, actor_of(user), decide)
