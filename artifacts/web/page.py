"""The page of one artifact, and how what one does there is answered.

Editing, history and proposals open in a slot beside the artifact. A script gets what goes into the slot; anyone else
gets the whole page with the slot filled. What was done is answered to a script by the artifact as it now is, and to
anyone else by leading back to it.
"""

import json
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import render

from artifacts import log
from artifacts.core.kinds import kinds
from artifacts.core.rejections import NotFound
from artifacts.core.rules import VIEWER
from artifacts.handle import Handle
from artifacts.members import actor_of, role_of
from artifacts.models import Artifact
from artifacts.web import presence
from artifacts.web.access import SignedIn
from artifacts.web.answers import see_other
from artifacts.web.errors import is_htmx
from artifacts.web.showing import EVERYTHING, PANEL_LIMIT, artifact_shown

HIGHEST = 2**31 - 1
"""The highest number that a version may have in the database."""


def artifact_for(user: User, artifact_id: UUID) -> tuple[Handle, Artifact]:
    """An artifact and the handle to change it with. Raises `NotFound`, to strangers too."""
    workspace = Artifact.objects.filter(pk=artifact_id).values_list("workspace", flat=True).first()
    if workspace is None:
        raise NotFound("This artifact")
    handle = Handle.for_user(user, str(workspace))
    return handle, handle.get(str(artifact_id))


def may_write(user: User, workspace: str) -> bool:
    """Whether to offer this person anything that changes something. The commit decides."""
    return role_of(user.pk, workspace) not in (None, VIEWER)


def panel_context(user: User, found: Artifact, handle: Handle, limit: int = PANEL_LIMIT) -> dict[str, Any]:
    """What `artifacts/_panel.html` shows."""
    writes = may_write(user, handle.workspace)
    return {
        "artifact": artifact_shown(found, limit),
        "may_write": writes,
        "may_edit": writes and found.archived_at is None and found.kind in kinds(),
        "present": presence.present(str(found.pk)),
        "me": actor_of(user).id,
    }


def page(
    request: SignedIn,
    handle: Handle,
    found: Artifact,
    context: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The artifact's own page. `context` may name a template that is `opened` in the slot, and what it shows."""
    limit = EVERYTHING if "whole" in request.GET else PANEL_LIMIT
    head = log.head(handle.workspace)
    around = panel_context(request.user, found, handle, limit)  # read after the page's place in the log
    shown = {**around, "row": found, "head": head, **(context or {})}
    return render(request, "artifacts/page.html", shown, status=status)


def opened(
    request: SignedIn,
    found: tuple[Handle, Artifact],
    template: str,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    """What opens beside an artifact."""
    handle, artifact = found
    if not is_htmx(request):
        return page(request, handle, artifact, {**context, "opened": template}, status)
    writes = may_write(request.user, handle.workspace)
    return render(request, template, {"may_write": writes, "row": artifact, **context}, status=status)


def done(request: SignedIn, found: tuple[Handle, Artifact], sentence: str, public: str = "") -> HttpResponse:
    """Something was done to an artifact: it as it now is, with a sentence, and nothing open beside it.

    `public` is the address of a page that is for everybody now.
    """
    artifact = found[1]
    if not is_htmx(request):
        return see_other("artifact", artifact_id=artifact.pk)
    beside = "/threads/" in request.headers.get("HX-Current-URL", "")
    context = {
        "artifact": artifact_shown(artifact),
        "heading": "h2" if beside else "h1",
        "place": f"outerHTML:#artifact[data-id='{artifact.pk}']",
        "sentence": sentence,
        "public": public,
    }
    response = render(request, "artifacts/_done.html", context)
    response["HX-Reswap"] = "none"
    response["HX-Trigger-After-Swap"] = json.dumps({"artifact:done": {"kept": request.path}})
    return response


def whole_number(text: str, what: str) -> int:
    """A version as a form or an address names it. Raises `NotFound` where it is none."""
    if not text.isdecimal():
        raise NotFound(what)
    return min(int(text[:20]), HIGHEST)
