"""The page of a workspace: what is in it, who changed it last, who belongs to it."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from artifacts.core import rules
from artifacts.core.kinds import kinds
from artifacts.members import members_of, role_of, workspace_for
from artifacts.models import Workspace
from artifacts.searching import found
from artifacts.web.access import SignedIn, private
from artifacts.web.errors import is_htmx

MANY = 50


@require_GET
@private
def workspace(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """Its documents, or its archive, those with certain words (`q`); to a script without the page around."""
    place = workspace_for(request.user, str(workspace_id))
    template = "workspaces/_shelf.html" if is_htmx(request) else "workspaces/page.html"
    return render(request, template, {**standing(request, place), **_shelf(request, place)})


def standing(request: SignedIn, place: Workspace) -> dict[str, Any]:
    """What every page of a workspace knows: which it is, and what this viewer may do."""
    role = role_of(request.user.pk, str(place.pk))
    return {
        "workspace": place,
        "role": role,
        "may_write": role not in (None, rules.VIEWER),
        "may_manage": role == rules.OWNER,
    }


def _shelf(request: SignedIn, place: Workspace) -> dict[str, Any]:
    words, archived = request.GET.get("q", "").strip(), "archived" in request.GET
    rows = found(place.artifacts.filter(archived_at__isnull=not archived), words).defer("data")
    return {
        "artifacts": Paginator(rows, MANY).get_page(request.GET.get("page")),
        "q": words,
        "archived": archived,
        "members": members_of(str(place.pk)),
        "kinds": sorted(kinds()),
    }
