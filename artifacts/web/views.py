"""The pages of artifacts: one of its own, its versions, the form that edits it, what is public, and the list."""

from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET, require_http_methods

from artifacts.core.rejections import NotFound, Rejection, VersionConflict
from artifacts.core.rules import VIEWER
from artifacts.handle import Handle
from artifacts.members import role_of
from artifacts.models import Artifact, Publication
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.editing import Edit
from artifacts.web.errors import is_htmx, status_of
from artifacts.web.showing import EVERYTHING, PANEL_LIMIT, artifact_shown, revision_shown

MANY = 200


@require_GET
@private
def artifacts(request: SignedIn) -> HttpResponse:
    """The artifacts of the workspaces that one is a member of, the last changed first."""
    rows = Artifact.objects.filter(workspace__memberships__user=request.user, archived_at=None)
    return render(request, "artifacts/list.html", {"artifacts": rows.select_related("workspace")[:MANY]})


@require_GET
@private
def artifact(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """An artifact's own page."""
    handle, found = artifact_for(request.user, artifact_id)
    return _page(request, handle, Edit.of(found))


@require_GET
@private
def panel(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """An artifact as it stands beside a thread."""
    handle, found = artifact_for(request.user, artifact_id)
    return render(request, "artifacts/_panel.html", panel_context(request.user, found, handle))


@require_GET
@private
def tools(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """What the viewer may do with an artifact that the socket has put beside their thread."""
    handle, found = artifact_for(request.user, artifact_id)
    return render(request, "artifacts/_tools.html", panel_context(request.user, found, handle))


@require_GET
@private
def form(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """The form that edits an artifact; a request of its own, because not everybody may."""
    _, found = artifact_for(request.user, artifact_id)
    return render(request, "artifacts/_edit.html", {"edit": Edit.of(found)})


@require_http_methods(["GET", "POST"])
@private
def revisions(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """All versions of an artifact; posting a text makes the next one."""
    handle, found = artifact_for(request.user, artifact_id)
    if request.method == "POST":
        return _edited(request, handle, _posted(request, found))
    rows = found.revisions.select_related("publication")[:MANY]
    return render(request, "artifacts/revisions.html", {"artifact": found, "revisions": rows})


@require_GET
@private
def revision(request: SignedIn, artifact_id: UUID, version: int) -> HttpResponse:
    """One version as it was."""
    _, found = artifact_for(request.user, artifact_id)
    row = get_object_or_404(found.revisions.select_related("artifact"), version=version)
    return render(request, "artifacts/revision.html", {"artifact": revision_shown(row)})


@require_GET
def publication(request: HttpRequest, publication_id: UUID) -> HttpResponse:
    """A version that was made public: for everybody, and read-only."""
    rows = Publication.objects.select_related("revision__artifact")
    row = get_object_or_404(rows, pk=publication_id)
    context = {"artifact": revision_shown(row.revision), "publication": row}
    return render(request, "artifacts/published.html", context)


def artifact_for(user: User, artifact_id: UUID) -> tuple[Handle, Artifact]:
    """An artifact and the handle to change it with. Raises `NotFound`, to strangers too."""
    workspace = Artifact.objects.filter(pk=artifact_id).values_list("workspace", flat=True).first()
    if workspace is None:
        raise NotFound("This artifact")
    handle = Handle.for_user(user, str(workspace))
    return handle, handle.get(str(artifact_id))


def panel_context(user: User, found: Artifact, handle: Handle) -> dict[str, Any]:
    """What `artifacts/_panel.html` shows."""
    return {"artifact": artifact_shown(found), "may_edit": may_edit(user, handle.workspace, found)}


def may_edit(user: User, workspace: str, found: Artifact) -> bool:
    """Whether to offer a form. The commit decides."""
    return found.archived_at is None and role_of(user.pk, workspace) not in (None, VIEWER)


def _posted(request: SignedIn, found: Artifact) -> Edit:
    base = request.POST.get("base", "")
    if not base.isdecimal():
        raise NotFound("The version that this text was written for")
    return Edit(found, request.POST.get("text", "").replace("\r\n", "\n"), int(base))


def _edited(request: SignedIn, handle: Handle, edit: Edit) -> HttpResponse:
    try:
        edit.commit(handle)
    except Rejection as rejection:
        return _not_edited(request, handle, edit, rejection)
    if not is_htmx(request):
        return see_other("artifact", artifact_id=edit.artifact.pk)
    edit.artifact.refresh_from_db()
    return render(request, "artifacts/_saved.html", {"artifact": artifact_shown(edit.artifact)})


def _not_edited(request: SignedIn, handle: Handle, edit: Edit, rejection: Rejection) -> HttpResponse:
    edit.error = rejection.message
    if isinstance(rejection, VersionConflict):
        edit.rebase()
    if is_htmx(request):
        return render(request, "artifacts/_edit_note.html", {"edit": edit}, status=status_of(rejection))
    return _page(request, handle, edit, status=status_of(rejection))


def _page(request: SignedIn, handle: Handle, edit: Edit, status: int = 200) -> HttpResponse:
    limit = EVERYTHING if "whole" in request.GET else PANEL_LIMIT
    context = {
        "artifact": artifact_shown(edit.artifact, limit),
        "edit": edit,
        "may_edit": may_edit(request.user, handle.workspace, edit.artifact),
        "editing": "edit" in request.GET or status != 200,
        "head": edit.artifact.workspace.head,
    }
    return render(request, "artifacts/page.html", context, status=status)
