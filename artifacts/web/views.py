"""The pages of artifacts: the list, one of its own, the same beside a thread, and small posts about it."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from artifacts.core.commands import ArchiveArtifact, UnarchiveArtifact
from artifacts.members import actor_of
from artifacts.models import Artifact
from artifacts.web import presence
from artifacts.web.access import SignedIn, private
from artifacts.web.page import artifact_for, done, page, panel_context

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
    return page(request, *artifact_for(request.user, artifact_id))


@require_GET
@private
def panel(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """An artifact as it stands beside a thread."""
    handle, found = artifact_for(request.user, artifact_id)
    return render(request, "artifacts/_panel.html", panel_context(request.user, found, handle))


@require_GET
@private
def tools(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """What the viewer may do with an artifact that the socket has put before them."""
    handle, found = artifact_for(request.user, artifact_id)
    return render(request, "artifacts/_tools.html", panel_context(request.user, found, handle))


@require_POST
@private
def archive(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """Take an artifact out of the lists, or bring it back."""
    found = artifact_for(request.user, artifact_id)
    if request.POST.get("state") == "active":
        found[0].commit(UnarchiveArtifact(str(artifact_id)))
        return done(request, found, "Back from the archive.")
    found[0].commit(ArchiveArtifact(str(artifact_id)))
    return done(request, found, "Archived. Its history stays.")


@require_POST
@private
def here(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """The viewer's page says that it shows the artifact, and hears who else does."""
    _, found = artifact_for(request.user, artifact_id)
    presence.seen(str(found.pk), actor_of(request.user), editing=request.POST.get("editing") == "yes")
    return render(request, "artifacts/_presence.html", {"present": presence.present(str(found.pk))})
