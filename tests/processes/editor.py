"""Somebody who edits a document that every thread follows, in a process of their own, until they are killed."""

import itertools
import random
import time
from collections.abc import Callable
from functools import partial

from django.contrib.auth.models import User
from django.db import DatabaseError, InterfaceError, close_old_connections

from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.outcomes import Applied
from artifacts.core.patches import WholeText
from artifacts.database import is_away
from artifacts.handle import Handle
from threads.models import Thread
from threads.turns import follow_artifact


def edit_for_ever() -> None:
    """Make the document, let all threads that there are follow it, and edit it again and again."""
    alice = persistent(lambda: User.objects.get(username="alice"))
    handle = persistent(lambda: Handle.for_user(alice, str(alice.memberships.get().workspace_id)))
    made = persistent(lambda: handle.commit(CreateArtifact("document", {"title": "Plan", "text": "0"})))
    assert isinstance(made, Applied)
    for thread in persistent(lambda: list(Thread.objects.all())):
        persistent(partial(follow_artifact, alice, str(thread.pk), made.artifact))
    for number in itertools.count(1):
        persistent(partial(edit, handle, made.artifact, number))
        time.sleep(random.uniform(0, 0.6))


def edit(handle: Handle, artifact: str, number: int) -> None:
    base = handle.get(artifact).version
    handle.commit(EditArtifact(artifact, base, WholeText(str(number)), f"edit {number}"))


def persistent[T](unit: Callable[[], T]) -> T:
    """What a unit of work returns, however often the database is away meanwhile."""
    while True:
        try:
            return unit()
        except (DatabaseError, InterfaceError) as error:
            if not is_away(error):
                raise
            close_old_connections()
