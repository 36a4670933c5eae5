"""A new thread."""

import uuid

from django.contrib.auth.models import User

from artifacts import log
from artifacts.core import rules
from artifacts.core.text import checked
from artifacts.members import actor_of, role_of
from threads.core import events
from threads.models import Thread

TITLE_LIMIT = 200


def create_thread(user: User, workspace_id: str, title: str = "") -> Thread:
    """Begin a thread in a workspace. Raises `NotFound`, `Forbidden`, `Invalid` or `TooLarge`."""

    def decide(entry: log.Entry) -> Thread:
        rules.require_editor(role_of(user.pk, workspace_id))
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
        entry.append(events.THREAD_CREATED, {"title": said, "mode": thread.mode}, thread=str(thread.pk))
        return thread

    return log.write(workspace_id, actor_of(user), decide)
