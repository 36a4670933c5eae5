"""An artifact goes out of lists, and comes back."""

from typing import TYPE_CHECKING

from artifacts.changing.storing import append, open_artifact, unchanged
from artifacts.core import events
from artifacts.core.commands import ArchiveArtifact, UnarchiveArtifact
from artifacts.core.outcomes import Applied
from artifacts.log import Entry
from artifacts.models import Artifact

if TYPE_CHECKING:
    from artifacts.handle import Handle


def archive(entry: Entry, handle: "Handle", command: ArchiveArtifact) -> Applied:
    """Out of lists; its history stays."""
    artifact = open_artifact(handle, command.artifact)
    handle.require_direct(artifact.kind, "archive it")
    Artifact.objects.filter(pk=artifact.pk).update(archived_at=entry.at)
    seq = append(entry, handle, events.ARTIFACT_ARCHIVED, artifact, {"title": artifact.title})
    return Applied(str(artifact.pk), artifact.version, seq, artifact.title)


def unarchive(entry: Entry, handle: "Handle", command: UnarchiveArtifact) -> Applied:
    """Back into lists, as it was."""
    artifact = handle.get(command.artifact)
    handle.require_direct(artifact.kind, "bring it back")
    if artifact.archived_at is None:
        return unchanged(entry, artifact)
    Artifact.objects.filter(pk=artifact.pk).update(archived_at=None)
    seq = append(entry, handle, events.ARTIFACT_UNARCHIVED, artifact, {"title": artifact.title})
    return Applied(str(artifact.pk), artifact.version, seq, artifact.title)
