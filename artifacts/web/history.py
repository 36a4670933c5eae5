"""The versions of an artifact: the list, one of them, what differs between any two, and bringing one back."""

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from artifacts.core.commands import RestoreRevision
from artifacts.core.rejections import NotFound
from artifacts.models import Artifact, Revision
from artifacts.web.access import SignedIn, private
from artifacts.web.differences import differences
from artifacts.web.editing import edited
from artifacts.web.page import artifact_for, done, opened, whole_number
from artifacts.web.showing import revision_shown

MANY = 50
"""Versions on one page; a link leads to those before."""


@require_http_methods(["GET", "POST"])
@private
def revisions(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """The versions of an artifact, the newest first; posting what a form holds makes the next one."""
    found = artifact_for(request.user, artifact_id)
    if request.method == "POST":
        return edited(request, found)
    before = (
        whole_number(request.GET["before"], "This version")
        if "before" in request.GET
        else found[1].version + 1
    )
    rows = (
        found[1].revisions.select_related("publication").defer("patch", "snapshot").filter(version__lt=before)
    )
    shown = list(rows[:MANY])
    earlier = shown[-1].version if shown and shown[-1].version > 1 else None
    return opened(request, found, "artifacts/_history.html", {"revisions": shown, "earlier": earlier})


@require_GET
@private
def revision(request: SignedIn, artifact_id: UUID, version: int) -> HttpResponse:
    """One version as it was."""
    found = artifact_for(request.user, artifact_id)
    row = revision_of(found[1], version)
    context = {"title": f"Version {version}", "revision": row, "shown": revision_shown(row)}
    return opened(request, found, "artifacts/_revision.html", context)


@require_GET
@private
def comparison(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """What differs between two versions, the older first whichever was named first."""
    found = artifact_for(request.user, artifact_id)
    named = [whole_number(request.GET.get(name, ""), "This version") for name in ("from", "to")]
    older, newer = (revision_of(found[1], version) for version in sorted(named))
    context = {
        "title": f"From version {older.version} to {newer.version}",
        "newer": newer,
        "differences": differences(found[1].kind, older.data, newer.data),
    }
    return opened(request, found, "artifacts/_comparison.html", context)


@require_POST
@private
def restoration(request: SignedIn, artifact_id: UUID, version: int) -> HttpResponse:
    """Bring a version back, as the next one."""
    found = artifact_for(request.user, artifact_id)
    found[0].commit(RestoreRevision(str(artifact_id), version))
    return done(request, found, f"Version {version} is back.")


def revision_of(artifact: Artifact, version: int) -> Revision:
    """One version's row. Raises `NotFound`."""
    row = artifact.revisions.select_related("artifact", "publication").filter(version=version).first()
    if row is None:
        raise NotFound(f"Version {version}")
    return row
