"""The sidebar of every page of a workspace, `{% sidebar workspace thread %}`, and the threads that it lists."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import template

from artifacts.members import FOUND, workspaces_of
from artifacts.models import Workspace
from threads.models import Thread
from threads.reading import threads_of
from threads.sights import with_news

MANY = 100

register = template.Library()


@dataclass(frozen=True, slots=True)
class Listing:
    """The threads that changed last, the one that is open, and whether there are older ones, found by searching."""

    rows: list[Thread]
    has_older: bool


@register.inclusion_tag("threads/_sidebar.html", takes_context=True)
def sidebar(context: dict[str, Any], workspace: Workspace, current: Thread | None = None) -> dict[str, Any]:
    """The workspaces of whoever looks."""
    request = context["request"]
    return {
        "request": request,
        "workspace": workspace,
        "workspaces": workspaces_of(request.user),
        "may_found": request.user.has_perm(FOUND),
        "current": current.pk if current else None,
    }


@register.simple_tag(takes_context=True)
def threads_of_workspace(context: dict[str, Any], workspace: Workspace, current: UUID | None) -> Listing:
    """Its threads that are not archived, the last changed first, with whether they are news to whoever looks.

    `current` is the thread that is open: it is listed however old it is.
    """
    user = context["request"].user
    threads = with_news(user, threads_of(user).filter(workspace=workspace, archived_at=None))
    rows = list(threads[: MANY + 1])
    listed, has_older = rows[:MANY], len(rows) > MANY
    if has_older and current and current not in {row.pk for row in listed}:
        listed += threads.filter(pk=current)
    return Listing(listed, has_older)
