"""The sidebar of every page of a workspace, `{% sidebar workspace thread %}`, and the threads that it lists."""

from dataclasses import dataclass
from typing import Any

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
    """The threads that changed last, and whether there are older ones, which are found by searching."""

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
        "current": current,
    }


@register.simple_tag(takes_context=True)
def threads_of_workspace(context: dict[str, Any], workspace: Workspace) -> Listing:
    """Its threads that are not archived, the last changed first, with whether they are news to whoever looks."""
    user = context["request"].user
    rows = list(with_news(user, threads_of(user).filter(workspace=workspace, archived_at=None))[: MANY + 1])
    return Listing(rows[:MANY], has_older=len(rows) > MANY)
