"""What one may do with a thread itself: name it, say what its agent may do and what it follows, archive it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from artifacts.core.rejections import Invalid, Rejection
from artifacts.models import Artifact
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.errors import is_htmx, status_of
from threads.models import Thread
from threads.reading import thread_for, threads_of
from threads.turns import archive, drop_artifact, follow_artifact, rename, set_mode, unarchive
from threads.web.page import around, sentence, thread_page, workspace_for

OTHERS = 100
"""Artifacts that are offered to be followed."""

ARCHIVED = 200


@dataclass(frozen=True, slots=True)
class Menu:
    """The menu of a thread, with why the last thing was refused and what had been typed."""

    thread: Thread
    error: str = ""
    typed: str | None = None

    @property
    def title(self) -> str:
        """The title as it is, or as somebody wanted it."""
        return self.thread.title if self.typed is None else self.typed

    @property
    def followed(self) -> QuerySet[Artifact]:
        """What the thread follows, what is archived too."""
        return Artifact.objects.filter(pk__in=self._focus).defer("data").order_by("title")

    @property
    def others(self) -> QuerySet[Artifact]:
        """What it could follow, the last changed first."""
        rows = Artifact.objects.filter(workspace=self.thread.workspace_id, archived_at=None)
        return rows.exclude(pk__in=self._focus).defer("data").order_by("-changed_at")[:OTHERS]

    @property
    def _focus(self) -> Any:
        return self.thread.focus.values("artifact")


@require_GET
@private
def menu(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """The menu as it is now."""
    return _drawn(request, Menu(thread_for(request.user, str(thread_id))))


@require_POST
@private
def title(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Rename a thread."""
    return _carried_out(request, thread_id, rename, request.POST.get("title", ""))


@require_POST
@private
def mode(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Let the agent edit, or only suggest."""
    return _carried_out(request, thread_id, set_mode, request.POST.get("mode", ""))


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
def archived_threads(request: SignedIn) -> HttpResponse:
    """The threads of a workspace that are archived."""
    workspace = workspace_for(request.user, request.GET.get("workspace"))
    if workspace is None:
        return render(request, "threads/nowhere.html")
    rows = threads_of(request.user).filter(workspace=workspace).exclude(archived_at=None)
    context = {**around(request.user, workspace), "rows": rows.order_by("-archived_at")[:ARCHIVED]}
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
        return _drawn(request, Menu(thread_for(request.user, str(thread_id))))
    return see_other("thread", thread_id=found.pk)


def _refused(request: SignedIn, found: Thread, rejection: Rejection) -> HttpResponse:
    status, words = status_of(rejection), sentence(rejection)
    if is_htmx(request):
        return _drawn(request, Menu(found, words, request.POST.get("title")), status)
    return thread_page(request, found, status=status, refused=words)


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
