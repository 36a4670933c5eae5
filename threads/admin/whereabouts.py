"""Where a thread is: its page on the site, which is for the members of its workspace, and its page in the admin."""

from django.contrib.auth.models import AnonymousUser, User
from django.urls import reverse

from artifacts.admin.reading import Link
from artifacts.members import role_of
from threads.models import Thread


def page_of(user: User | AnonymousUser, thread: Thread) -> list[Link]:
    """A link to the thread's page, if this person finds it there."""
    if user.pk is None or role_of(user.pk, str(thread.workspace_id)) is None:
        return []
    return [Link("Open the thread", reverse("thread", args=[thread.pk]))]


def row_of(user: User | AnonymousUser, thread: Thread) -> list[Link]:
    """A link to the thread in the admin, for staff who may look at threads."""
    if not user.has_perm("threads.view_thread"):
        return []
    return [Link("Runs and log", reverse("admin:threads_thread_change", args=[thread.pk]))]
