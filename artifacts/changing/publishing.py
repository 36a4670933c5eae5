"""A version becomes a public page, and stops being one."""

from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError

from artifacts.changing.storing import append, open_artifact
from artifacts.core import events
from artifacts.core.commands import PublishArtifact, UnpublishArtifact
from artifacts.core.outcomes import Applied
from artifacts.core.rejections import NotFound
from artifacts.log import Entry
from artifacts.models import Publication, Revision
from artifacts.reading import revision_at

if TYPE_CHECKING:
    from artifacts.handle import Handle


def publish(entry: Entry, handle: "Handle", command: PublishArtifact) -> Applied:
    """Exactly the version that is named. Publishing twice is the same page."""
    artifact = open_artifact(handle, command.artifact)
    revision = revision_at(artifact, command.version)
    published = Publication.objects.filter(revision=revision).first()
    if published is not None:
        return _applied(revision, entry.head, published)
    publication = Publication.objects.create(
        revision=revision, published_by=entry.actor.name[:200], published_at=entry.at
    )
    data = {"publication": str(publication.pk), "title": revision.title, "version": revision.version}
    return _applied(revision, append(entry, handle, events.ARTIFACT_PUBLISHED, artifact, data), publication)


def unpublish(entry: Entry, handle: "Handle", command: UnpublishArtifact) -> Applied:
    """The page goes away, whether its artifact is archived or not."""
    publication = _found(handle, command.publication)
    revision, artifact = publication.revision, publication.revision.artifact
    handle.require_direct(artifact.kind, "take the page away")
    data = {"publication": str(publication.pk), "title": revision.title, "version": revision.version}
    seq = append(entry, handle, events.ARTIFACT_UNPUBLISHED, artifact, data)
    outcome = _applied(revision, seq, publication)
    publication.delete()
    return outcome


def _found(handle: "Handle", publication_id: str) -> Publication:
    rows = Publication.objects.select_related("revision__artifact")
    try:
        return rows.get(pk=publication_id, revision__artifact__workspace_id=handle.workspace)
    except (Publication.DoesNotExist, ValidationError, ValueError):
        raise NotFound(f"The publication {publication_id[:60]!r}") from None


def _applied(revision: Revision, seq: int, publication: Publication) -> Applied:
    return Applied(str(revision.artifact_id), revision.version, seq, revision.title, str(publication.pk))
