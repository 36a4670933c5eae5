"""The forms of a thread's menu: each gives one command, and answers a script with the menu as it then is, anyone else
with the page."""

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from artifacts.core.rejections import Invalid, Rejection
from artifacts.handle import Handle
from artifacts.models import Workspace
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.errors import is_htmx, sentence, status_of
from threads.models import Thread
from threads.reading import thread_for, threads_of
from threads.turns import archive, drop_artifact, follow_artifact, rename, unarchive
from threads.web.menu import Menu, menu_of
from threads.web.showing import thread_page

ARCHIVED = 200
"""Archived threads that are listed."""


@require_GET
@private
def menu(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """The menu as it is now."""
    return _drawn(request, menu_of(request, thread_for(request.user, str(thread_id))))


@require_POST
@private
def title(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Rename a thread."""
    return _carried_out(request, thread_id, rename, request.POST.get("title", ""))


@require_POST
@private
def focus(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Let the agent follow an artifact, or no longer."""
    command = follow_artifact if _chosen(request, "followed") else drop_artifact
    return _carried_out(request, thread_id, command, request.POST.get("artifact", ""))


@require_POST
@private
def archival(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Archive a thread, or bring it back."""
    archived = _chosen(request, "archived")

    def command(user: User, id: str, _: str) -> object:
        return archive(user, id) if archived else unarchive(user, id)

    return _carried_out(request, thread_id, command, "")


@require_GET
@private
def archived_threads(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """The threads of a workspace that are archived."""
    Handle.for_user(request.user, str(workspace_id))
    rows = threads_of(request.user).filter(workspace=workspace_id).exclude(archived_at=None)
    context = {
        "workspace": Workspace.objects.get(pk=workspace_id),
        "rows": rows.order_by("-archived_at")[:ARCHIVED],
    }
    return render(request, "threads/archived.html", context)


def _carried_out(
    request: SignedIn, thread_id: UUID, command: Callable[[User, str, str], object], value: str
) -> HttpResponse:
    """One command; then the menu to a script, and the page to anyone else."""
    found = thread_for(request.user, str(thread_id))
    try:
        command(request.user, str(found.pk), value)
    except Rejection as rejection:
        return _refused(request, found, rejection)
    if is_htmx(request):
        return _drawn(request, menu_of(request, thread_for(request.user, str(thread_id))))
    return see_other("thread", thread_id=found.pk)


def _refused(request: SignedIn, found: Thread, rejection: Rejection) -> HttpResponse:
    status, words = status_of(rejection), sentence(rejection)
    if is_htmx(request):
        return _drawn(request, menu_of(request, found, words, request.POST.get("title")), status)
    return thread_page(request, found, status=status, refusal=words)


def _drawn(request: SignedIn, menu: Menu, status: int = 200) -> HttpResponse:
    return render(request, "threads/_menu.html", {"menu": menu}, status=status)


def _chosen(request: SignedIn, name: str) -> bool:
    """A yes or a no. Raises `Invalid` for anything else."""
    match request.POST.get(name):
        case "yes":
            return True
        case "no":
            return False
        case _:
            raise Invalid({name: "Say yes or no."})
