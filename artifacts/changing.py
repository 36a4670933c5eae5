"""How each command changes the rows of artifacts, inside `log.write`."""

import json
import uuid
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from artifacts.core import events
from artifacts.core.commands import (
    Applied,
    ArchiveArtifact,
    Command,
    CreateArtifact,
    EditArtifact,
    PublishArtifact,
)
from artifacts.core.kinds import Kind, kind_named
from artifacts.core.kinds.base import validated
from artifacts.core.notes import DESCRIPTION_LIMIT, PASSAGE_LIMIT, PASSAGES_LIMIT
from artifacts.core.patches import applied, applies_to_any_version, changes
from artifacts.core.rejections import Archived, Invalid, VersionConflict
from artifacts.core.text import checked
from artifacts.log import Entry
from artifacts.models import Artifact, Publication, Revision

if TYPE_CHECKING:
    from artifacts.handle import Handle

SUMMARY_LIMIT = 500


def carry_out(entry: Entry, handle: "Handle", command: Command) -> Applied:
    """Change what the command says, or raise a `Rejection`."""
    match command:
        case CreateArtifact():
            return _create(entry, handle, command)
        case EditArtifact():
            return _edit(entry, handle, command)
        case ArchiveArtifact():
            return _archive(entry, handle, command)
        case PublishArtifact():
            return _publish(entry, handle, command)


def _create(entry: Entry, handle: "Handle", command: CreateArtifact) -> Applied:
    instance = validated(kind_named(command.kind), command.data)
    artifact = Artifact(
        id=uuid.uuid4(),
        workspace=entry.workspace,
        kind=command.kind,
        created_at=entry.at,
        created_seq=entry.head + 1,
    )
    data = {"kind": command.kind, "title": instance.title(), "version": 1, "summary": ""}
    seq = entry.append(events.ARTIFACT_CREATED, data, thread=handle.thread, artifact=str(artifact.pk))
    _store(entry, artifact, instance, version=1, seq=seq)
    return Applied(str(artifact.pk), 1, seq, artifact.title)


def _edit(entry: Entry, handle: "Handle", command: EditArtifact) -> Applied:
    artifact = _open(handle, command.artifact)
    if not 1 <= command.base <= artifact.version:
        raise Invalid({"base": f"There is no version {command.base}. The newest is {artifact.version}."})
    if command.base != artifact.version and not applies_to_any_version(command.patch):
        raise VersionConflict(command.base, artifact.version, artifact.changed_by)
    summary = checked("summary", command.summary, limit=SUMMARY_LIMIT, required=False)
    before = artifact.data
    instance = applied(command.patch, kind_named(artifact.kind), before)
    data = instance.model_dump(mode="json")
    if data == before:
        return Applied(str(artifact.pk), artifact.version, entry.head, artifact.title)
    version = artifact.version + 1
    event = {"title": instance.title(), "version": version, "base": command.base, "summary": summary}
    seq = entry.append(
        events.ARTIFACT_EDITED,
        {**event, **described(instance, before)},
        thread=handle.thread,
        artifact=str(artifact.pk),
        about=artifact.created_seq,
    )
    _store(entry, artifact, instance, version=version, seq=seq, summary=summary)
    return Applied(str(artifact.pk), version, seq, artifact.title)


def _archive(entry: Entry, handle: "Handle", command: ArchiveArtifact) -> Applied:
    artifact = _open(handle, command.artifact)
    Artifact.objects.filter(pk=artifact.pk).update(archived_at=entry.at)
    seq = entry.append(
        events.ARTIFACT_ARCHIVED,
        {"title": artifact.title},
        thread=handle.thread,
        artifact=str(artifact.pk),
        about=artifact.created_seq,
    )
    return Applied(str(artifact.pk), artifact.version, seq, artifact.title)


def _publish(entry: Entry, handle: "Handle", command: PublishArtifact) -> Applied:
    artifact = _open(handle, command.artifact)
    revision = artifact.revisions.filter(version=command.version).first()
    if revision is None:
        raise Invalid(
            {"version": f"There is no version {command.version}. The newest is {artifact.version}."}
        )
    published = Publication.objects.filter(revision=revision).first()
    if published is not None:
        return Applied(str(artifact.pk), revision.version, entry.head, revision.title, str(published.pk))
    publication = Publication.objects.create(
        revision=revision, published_by=entry.actor.name[:200], published_at=entry.at
    )
    seq = entry.append(
        events.ARTIFACT_PUBLISHED,
        {"publication": str(publication.pk), "title": revision.title, "version": revision.version},
        thread=handle.thread,
        artifact=str(artifact.pk),
        about=artifact.created_seq,
    )
    return Applied(str(artifact.pk), revision.version, seq, revision.title, str(publication.pk))


def _open(handle: "Handle", artifact_id: str) -> Artifact:
    artifact = handle.get(artifact_id)
    if artifact.archived_at is not None:
        raise Archived(f"“{artifact.title}”")
    return artifact


def _store(
    entry: Entry, artifact: Artifact, instance: Kind, *, version: int, seq: int, summary: str = ""
) -> None:
    """The artifact's row as it now is, and its new revision."""
    artifact.title, artifact.version, artifact.data = (
        instance.title(),
        version,
        instance.model_dump(mode="json"),
    )
    artifact.changed_by, artifact.changed_at = entry.actor.name[:200], entry.at
    artifact.save(force_insert=version == 1)
    Revision.objects.create(
        artifact=artifact,
        version=version,
        title=artifact.title,
        data=artifact.data,
        summary=summary,
        actor_kind=entry.actor.kind,
        actor_id=entry.actor.id,
        actor_name=entry.actor.name[:200],
        seq=seq,
        at=entry.at,
    )


def described(instance: Kind, before: dict[str, Any]) -> dict[str, Any]:
    """What an edit changed, bounded, for its event: in the kind's own words, else as changed passages of its fields."""
    if (words := _in_its_own_words(instance, before)) is not None:
        return {"described": words[: DESCRIPTION_LIMIT + 1]}
    after = instance.model_dump(mode="json")
    passages = [
        change
        for field in sorted({*before, *after})
        for change in changes(_as_text(before.get(field, "")), _as_text(after.get(field, "")))
    ]
    shown = [
        {"old": _shown(change.old), "new": _shown(change.new)} for change in passages[: PASSAGES_LIMIT + 1]
    ]
    return {"changes": shown, "passages": len(passages)}


def _in_its_own_words(instance: Kind, before: dict[str, Any]) -> str | None:
    """None also where what was stored before is no longer valid: the kind has changed since."""
    try:
        return instance.describe_change(type(instance).model_validate(before))
    except ValidationError:
        return None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _shown(passage: str) -> str:
    """A passage as its event keeps it: one character more than the limit says that there is more."""
    return passage.strip()[: PASSAGE_LIMIT + 1]
