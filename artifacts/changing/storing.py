"""An artifact's row, its revisions, and the events about it: what every change of one writes."""

from typing import TYPE_CHECKING, Any

from artifacts.changing.describing import described
from artifacts.core import deltas, events
from artifacts.core.kinds import Kind
from artifacts.core.outcomes import Applied
from artifacts.core.rejections import Archived
from artifacts.log import Entry
from artifacts.models import Artifact, Proposal, Revision
from artifacts.statements import execute, inserting, updating

if TYPE_CHECKING:
    from artifacts.handle import Handle


CHANGED = ("title", "version", "data", "changed_by", "changed_at", "whole_version", "weight", "digest")
"""The columns of an artifact that a new version changes."""


def open_artifact(handle: "Handle", artifact_id: str) -> Artifact:
    """An artifact that takes changes. Raises `NotFound` or `Archived`."""
    artifact = handle.get(artifact_id)
    if artifact.archived_at is not None:
        raise Archived(f"“{artifact.title}”")
    return artifact


def append(
    entry: Entry,
    handle: "Handle",
    type: str,
    artifact: Artifact,
    data: dict[str, Any],
    *,
    about: int | None = None,
) -> int:
    """Add an event about an artifact; `about` is the `seq` that created it, if it changes another thing than that."""
    created = artifact.created_seq if about is None else about
    return entry.append(type, data, thread=handle.thread, artifact=str(artifact.pk), about=created)


def unchanged(entry: Entry, artifact: Artifact) -> Applied:
    """The outcome where everything already is as it is asked for."""
    return Applied(str(artifact.pk), artifact.version, entry.head, artifact.title)


def store_next(
    entry: Entry,
    handle: "Handle",
    artifact: Artifact,
    instance: Kind,
    *,
    base: int,
    summary: str = "",
    proposal: Proposal | None = None,
    **said: Any,
) -> Applied:
    """The artifact's next version, unless it would be the same as this one. The event says `said` besides."""
    data = instance.model_dump(mode="json")
    before, after = deltas.canonical(artifact.data), deltas.canonical(data)
    if before == after:
        return unchanged(entry, artifact)
    event = {
        "title": instance.title(),
        "version": artifact.version + 1,
        "base": base,
        "summary": summary,
        **said,
    }
    what = described(instance, artifact.data)
    seq = append(entry, handle, events.ARTIFACT_EDITED, artifact, {**event, **what})
    artifact.version += 1
    delta = deltas.delta(before, after) if deltas.digest(before) == artifact.digest else None
    store(entry, artifact, instance, after, delta, seq=seq, summary=summary, proposal=proposal)
    return Applied(str(artifact.pk), artifact.version, seq, artifact.title)


def store(
    entry: Entry,
    artifact: Artifact,
    instance: Kind,
    text: str,
    delta: deltas.Delta | None,
    *,
    seq: int,
    summary: str = "",
    proposal: Proposal | None = None,
) -> None:
    """The row as it now is, and its revision: by the `delta`, if there is one and the whole `text` is dearer."""
    artifact.title, artifact.data = instance.title(), instance.model_dump(mode="json")
    artifact.changed_by, artifact.changed_at = entry.actor.name[:200], entry.at
    kept = _weighed(artifact, text, delta)
    revision = Revision(
        artifact=artifact,
        version=artifact.version,
        title=artifact.title,
        whole_version=artifact.whole_version,
        snapshot=artifact.data if kept is None else None,
        patch=kept,
        summary=summary,
        proposal=proposal,
        actor_kind=entry.actor.kind,
        actor_id=entry.actor.id,
        actor_name=entry.actor.name[:200],
        seq=seq,
        at=entry.at,
    )
    execute(
        inserting(artifact) if artifact.version == 1 else updating(artifact, *CHANGED), inserting(revision)
    )


def _weighed(artifact: Artifact, text: str, delta: deltas.Delta | None) -> deltas.Delta | None:
    """The delta, if this version is to be stored by it, with the artifact's columns that say so brought up to date.

    There is none for a first version, nor where somebody changed the row beside the log, as a migration of a kind may.
    """
    artifact.digest = deltas.digest(text)
    if delta is not None:
        artifact.weight += deltas.weight(delta)
        if not deltas.is_whole_cheaper(artifact.version - artifact.whole_version, artifact.weight, len(text)):
            return delta
    artifact.whole_version, artifact.weight = artifact.version, 0
    return None
