"""The thread page as one person gets it: what everyone sees, and the forms that are theirs."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils.safestring import mark_safe

from artifacts import log
from artifacts.core.rules import VIEWER
from artifacts.handle import Handle
from artifacts.members import actor_of, role_of
from artifacts.models import Artifact, Workspace
from artifacts.web.access import SignedIn
from artifacts.web.page import panel_context
from artifacts.web.presence import present
from threads.core import decisions
from threads.models import Thread
from threads.sights import look
from threads.web import reading
from threads.web.forms import RequestForm, drawn, form_for
from threads.web.menu import menu_of
from threads.web.sights import first_new
from threads.web.standing import Standing, standing
from threads.web.things import draw, gathered
from threads.web.undoing import Undoing

STARTERS = (
    "Write a document about tea",
    "Plan a workshop",
    "Ask me something before you begin",
    "What can you do?",
)
"""What one may say to the demo agent first."""

SINCE = '<p class="since" id="since">New since you last looked</p>'
"""The line above what is new to the viewer."""


def page(request: SignedIn, thread: Thread, refused: RequestForm | None = None) -> dict[str, Any]:
    """All that `threads/page.html` shows. `refused` is a request's form that was posted and not carried out."""
    thread, stretch, stands = _read(thread)
    seen = look(request.user, thread, stretch.head)
    role = role_of(request.user.pk, str(thread.workspace_id))
    return {
        "thread": thread,
        "standing": stands,
        "head": stretch.head,
        "things": drawn_things(request, thread, stretch, refused, seen),
        "first": stretch.first if stretch.more else None,
        "may_write": role not in (None, VIEWER),
        "me": actor_of(request.user).id,
        "here": present(room_of(str(thread.pk))),
        "menu": menu_of(request, thread),
        **panel(request, thread),
        **around(thread.workspace),
    }


def _read(thread: Thread, attempts: int = 3) -> tuple[Thread, reading.Stretch, Standing]:
    """The thread, its newest events and how it stands, all of one moment unless something happens at every attempt.

    How it stands is never older than the events. Where it is newer, the socket brings what is missing.
    """
    stretch = reading.newest(thread)
    thread = Thread.objects.select_related("run", "workspace").get(pk=thread.pk)
    stands = standing(thread)
    if attempts > 1 and log.head(str(thread.workspace_id)) > stretch.head:
        return _read(thread, attempts - 1)
    return thread, stretch, stands


def drawn_things(
    request: SignedIn,
    thread: Thread,
    stretch: reading.Stretch,
    refused: RequestForm | None = None,
    seen: int | None = None,
) -> str:
    """The transcript's elements, open requests with the viewer's forms, and a line above what they have not `seen`."""
    forms, undo = _forms(request, thread, refused), Undoing(request, thread)
    things = gathered(stretch.events, stretch.later)
    new = first_new(request, things.values(), seen)
    return mark_safe(  # noqa: S308 (drawn by templates)
        "".join(
            (SINCE if seq == new else "")
            + draw(thing, {"form_html": forms.get(str(thing.event.data.get("request"))), **undo.of(thing)})
            for seq, thing in things.items()
        )
    )


def _forms(request: SignedIn, thread: Thread, refused: RequestForm | None) -> dict[str, str]:
    rows = thread.requests.filter(state=decisions.OPEN).select_related("thread", "run")
    forms = {str(row.pk): form_for(request.user, row) for row in rows}
    if refused is not None:
        forms[str(refused.request.pk)] = refused
    return {pk: mark_safe(drawn(request, form)) for pk, form in forms.items()}  # noqa: S308 (drawn by a template)


def room_of(thread_id: str) -> str:
    """The name under which those are kept who have the thread before them."""
    return f"thread {thread_id}"


def focused(thread: Thread) -> QuerySet[Artifact]:
    """The artifacts that a thread follows, the last changed first, archived ones too."""
    return Artifact.objects.filter(pk__in=thread.focus.values("artifact")).order_by("-changed_at")


def unarchived(artifacts: Iterable[Artifact]) -> list[Artifact]:
    """Those that are offered."""
    return [row for row in artifacts if row.archived_at is None]


def panel(request: SignedIn, thread: Thread) -> dict[str, Any]:
    """The artifacts beside the thread: which there are, and the one that is open."""
    artifacts = unarchived(focused(thread))
    wanted = request.GET.get("artifact")
    opened = next((row for row in artifacts if str(row.pk) == wanted), artifacts[0] if artifacts else None)
    if opened is None:
        return {"followed": artifacts}
    handle = Handle.for_user(request.user, str(thread.workspace_id))
    return {"followed": artifacts, **panel_context(request.user, opened, handle)}


def around(workspace: Workspace) -> dict[str, Any]:
    """Where one speaks, which model answers there, and what one may say first."""
    return {
        "workspace": workspace,
        "model": settings.ARTIFACTR_MODEL,
        "starters": STARTERS,
        "is_demo": settings.ARTIFACTR_MODEL == "demo",
    }
