"""The sidebar of every page of a workspace: `{% sidebar workspace thread %}`."""

from typing import Any

from django import template

from artifacts.members import workspaces_of
from artifacts.models import Workspace
from threads.models import Thread
from threads.reading import threads_of

MANY = 100

register = template.Library()


@register.inclusion_tag("threads/_sidebar.html", takes_context=True)
def sidebar(context: dict[str, Any], workspace: Workspace, current: Thread | None = None) -> dict[str, Any]:
    """The workspaces of whoever looks, and the threads of this one."""
    request = context["request"]
    return {
        "request": request,
        "workspace": workspace,
        "workspaces": workspaces_of(request.user),
        "threads": threads_of(request.user).filter(workspace=workspace, archived_at=None)[:MANY],
        "current": current,
    }
