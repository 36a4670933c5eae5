"""A next version: by a patch, or as an earlier version was."""

from typing import TYPE_CHECKING

from artifacts.changing.patching import asked_for
from artifacts.changing.proposing import propose
from artifacts.changing.storing import open_artifact, store_next
from artifacts.core.commands import EditArtifact, RestoreRevision
from artifacts.core.kinds import kind_named
from artifacts.core.kinds.base import validated
from artifacts.core.outcomes import Applied, Proposed
from artifacts.limits import limits
from artifacts.log import Entry
from artifacts.reading import data_at

if TYPE_CHECKING:
    from artifacts.handle import Handle


def edit(entry: Entry, handle: "Handle", command: EditArtifact) -> Applied | Proposed:
    """The next version, or a proposal of it from who may only propose."""
    artifact = open_artifact(handle, command.artifact)
    instance, summary = asked_for(artifact, command)
    if handle.proposes(artifact.kind):
        return propose(entry, handle, artifact, instance, summary, command.patch)
    return store_next(entry, handle, artifact, instance, base=command.base, summary=summary)


def restore(entry: Entry, handle: "Handle", command: RestoreRevision) -> Applied | Proposed:
    """A next version as an earlier one was. It has to be valid as its kind is today."""
    artifact = open_artifact(handle, command.artifact)
    instance = validated(kind_named(artifact.kind), data_at(artifact, command.version), limits())
    summary = f"Restored version {command.version}"
    if handle.proposes(artifact.kind):
        return propose(entry, handle, artifact, instance, summary)
    base = artifact.version
    return store_next(entry, handle, artifact, instance, base=base, summary=summary, restored=command.version)
