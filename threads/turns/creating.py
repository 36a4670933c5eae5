"""A new thread, by itself or with its first message."""

import uuid

from django.contrib.auth.models import User
from django.db import transaction

from artifacts import log
from artifacts.core import rules
from artifacts.core.text import checked
from artifacts.members import actor_of, role_of
from threads.core import events
from threads.core.titles import title_of
from threads.models import Thread
from threads.turns.posting import MESSAGE_ID_LIMIT, post

TITLE_LIMIT = 200


def begin_thread(user: User, workspace_id: str, message_id: str, content: str) -> Thread:
    """Begin a thread with a message, both or neither. The same `message_id` of the same person again begins no other.

    Raises what `create_thread` and `post` raise.
    """
    key = f"thread:{user.pk}:{checked('message_id', message_id, limit=MESSAGE_ID_LIMIT)}"
    with transaction.atomic():
        thread = create_thread(user, workspace_id, title_of(content), key=key)
        post(user, str(thread.pk), message_id, content)
    return thread


def create_thread(user: User, workspace_id: str, title: str = "", *, key: str | None = None) -> Thread:
    """Begin a thread in a workspace. The same `key` again gives the thread that it began.

    Raises `NotFound`, `Forbidden`, `Invalid` or `TooLarge`.
    """

    def decide(entry: log.Entry) -> Thread:
        rules.require_editor(role_of(user.pk, workspace_id))
        if key and (before := entry.find(key)) and before.thread:
            return Thread.objects.get(pk=before.thread)
        said = checked("title", title.strip(), limit=TITLE_LIMIT, required=False)
        thread = Thread(
            id=uuid.uuid4(),
            workspace=entry.workspace,
            title=said,
            mode=entry.workspace.default_mode,
            created_by=user,
            created_at=entry.at,
            changed_at=entry.at,
            taken_seq=entry.head,
        )
        thread.save(force_insert=True)
        data = {"title": said, "mode": thread.mode}
        entry.append(events.THREAD_CREATED, data, thread=str(thread.pk), key=key)
        return thread

    return log.write(workspace_id, actor_of(user), decide)
