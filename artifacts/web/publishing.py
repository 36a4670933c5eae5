"""Versions that are public: making one so, the list of them, taking one back, and the page that everybody may read."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from artifacts.core.commands import PublishArtifact, UnpublishArtifact
from artifacts.core.rejections import NotFound
from artifacts.models import Publication
from artifacts.web.access import SignedIn, private
from artifacts.web.page import artifact_for, done, opened, whole_number
from artifacts.web.showing import revision_shown


@require_GET
def publication(request: HttpRequest, publication_id: UUID) -> HttpResponse:
    """A version that was made public: for everybody, and read-only."""
    rows = Publication.objects.select_related("revision__artifact")
    row = get_object_or_404(rows, pk=publication_id)
    context = {"artifact": revision_shown(row.revision), "publication": row}
    return render(request, "artifacts/published.html", context)


@require_http_methods(["GET", "POST"])
@private
def publications(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """What of an artifact is public; posting a version makes it so."""
    found = artifact_for(request.user, artifact_id)
    if request.method == "POST":
        version = whole_number(request.POST.get("version", ""), "The version to publish")
        outcome = found[0].commit(PublishArtifact(str(artifact_id), version))
        public = reverse("publication", args=(outcome.publication,))
        return done(request, found, f"Version {version} is public.", public)
    rows = Publication.objects.filter(revision__artifact=artifact_id).order_by("-published_at")
    return opened(
        request, found, "artifacts/_publications.html", {"publications": rows.select_related("revision")}
    )


@require_POST
@private
def unpublication(request: SignedIn, publication_id: UUID) -> HttpResponse:
    """Take a public page back."""
    row = Publication.objects.select_related("revision").filter(pk=publication_id).first()
    if row is None:
        raise NotFound("This public page")
    found = artifact_for(request.user, row.revision.artifact_id)
    found[0].commit(UnpublishArtifact(str(publication_id)))
    return done(request, found, f"Version {row.revision.version} is no longer public.")
