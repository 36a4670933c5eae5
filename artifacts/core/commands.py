"""What can be asked of a workspace's artifacts. `Handle.commit` carries a command out or rejects it."""

from dataclasses import dataclass
from typing import Any

from artifacts.core.patches import Patch


@dataclass(frozen=True, slots=True)
class CreateArtifact:
    """A new artifact of `kind` with `data`, as version 1."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class EditArtifact:
    """A new version of `artifact`. `base` is the version that the patch was written for."""

    artifact: str
    base: int
    patch: Patch
    summary: str = ""


@dataclass(frozen=True, slots=True)
class ArchiveArtifact:
    """Take `artifact` out of lists. Its history stays."""

    artifact: str


@dataclass(frozen=True, slots=True)
class PublishArtifact:
    """Make exactly `version` of `artifact` a public, read-only page."""

    artifact: str
    version: int


Command = CreateArtifact | EditArtifact | ArchiveArtifact | PublishArtifact


@dataclass(frozen=True, slots=True)
class Applied:
    """A command was carried out: what it was about, its version now, and the `seq` of the last event."""

    artifact: str
    version: int
    seq: int
    title: str
    publication: str | None = None
