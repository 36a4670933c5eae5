"""A person's edit: a text, the version that it was written for, and what has changed meanwhile if that is old."""

import json
from dataclasses import dataclass, field
from typing import Any

from artifacts.core.commands import EditArtifact
from artifacts.core.diffs import Change, changes
from artifacts.core.kinds import kind_named
from artifacts.core.patches import Patch, WholeData, WholeText
from artifacts.core.rejections import Invalid
from artifacts.handle import Handle
from artifacts.models import Artifact, Revision

MANY = 40
"""Changes that are listed; more than that is a rewrite."""


@dataclass(slots=True)
class Edit:
    """What the form of an artifact holds."""

    artifact: Artifact
    text: str
    base: int
    error: str = ""
    conflict: list[Change] = field(default_factory=list)

    @classmethod
    def of(cls, artifact: Artifact) -> "Edit":
        """An edit that has changed nothing yet."""
        return cls(artifact, source(artifact, artifact.data), artifact.version)

    def commit(self, handle: Handle) -> None:
        """Make it the next version. Raises a `Rejection`."""
        patch = _patch(self.artifact, self.text)
        handle.commit(EditArtifact(artifact=str(self.artifact.pk), base=self.base, patch=patch))

    def rebase(self) -> None:
        """Keep the text, note what others changed since it was begun, and base it on the version that there is now."""
        then = Revision.objects.filter(artifact=self.artifact, version=self.base).first()
        self.artifact.refresh_from_db()
        if then is not None:
            now = source(self.artifact, self.artifact.data)
            self.conflict = changes(source(self.artifact, then.data), now)[:MANY]
        self.base = self.artifact.version


def source(artifact: Artifact, data: dict[str, Any]) -> str:
    """What is edited: the text of a kind that has one, else its data as JSON."""
    text_field = kind_named(artifact.kind).text_field
    return json.dumps(data, ensure_ascii=False, indent=2) if text_field is None else str(data[text_field])


def _patch(artifact: Artifact, text: str) -> Patch:
    if artifact.text() is not None:
        return WholeText(text)
    try:
        return WholeData(json.loads(text))
    except ValueError as error:
        raise Invalid({"text": f"Is not JSON: {error}."}) from None
