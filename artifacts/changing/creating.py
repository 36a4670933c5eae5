"""A new artifact."""

import uuid
from typing import TYPE_CHECKING

from artifacts.changing.storing import store
from artifacts.core import events
from artifacts.core.commands import CreateArtifact
from artifacts.core.deltas import canonical
from artifacts.core.kinds import kind_named
from artifacts.core.kinds.base import validated
from artifacts.core.outcomes import Applied
from artifacts.limits import limits
from artifacts.log import Entry
from artifacts.models import Artifact

if TYPE_CHECKING:
    from artifacts.handle import Handle


def create(entry: Entry, handle: "Handle", command: CreateArtifact) -> Applied:
    """Version 1."""
    instance = validated(kind_named(command.kind), command.data, limits())
    artifact = Artifact(
        id=uuid.uuid4(),
        workspace=entry.workspace,
        kind=command.kind,
        created_at=entry.at,
        created_seq=entry.head + 1,
    )
    data = {"kind": command.kind, "title": instance.title(), "version": 1, "summary": ""}
    seq = entry.append(events.ARTIFACT_CREATED, data, thread=handle.thread, artifact=str(artifact.pk))
    store(entry, artifact, instance, canonical(instance.model_dump(mode="json")), None, seq=seq)
    return Applied(str(artifact.pk), 1, seq, artifact.title)
