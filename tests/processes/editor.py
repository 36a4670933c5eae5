"""Somebody who edits a document that every thread follows, in a process of their own, until they are killed."""

import itertools
import random
import time

from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError, close_old_connections

from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.outcomes import Applied
from artifacts.core.patches import WholeText
from artifacts.handle import Handle
from threads.models import Thread
from threads.turns import follow_artifact


def edit_for_ever() -> None:
    """Make the document, let all threads that there are follow it, and edit it again and again."""
    alice = User.objects.get(username="alice")
    handle = Handle.for_user(alice, str(alice.memberships.get().workspace_id))
    made = handle.commit(CreateArtifact("document", {"title": "Plan", "text": "0"}))
    assert isinstance(made, Applied)
    for thread in Thread.objects.all():
        follow_artifact(alice, str(thread.pk), made.artifact)
    for number in itertools.count(1):
        try:
            base = handle.get(made.artifact).version
            handle.commit(EditArtifact(made.artifact, base, WholeText(str(number)), f"edit {number}"))
        except (OperationalError, InterfaceError):
            close_old_connections()
        time.sleep(random.uniform(0, 0.6))
