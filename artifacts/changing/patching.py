"""What a patch makes of an artifact as it is now, or why it may not."""

from artifacts.core.commands import EditArtifact, ProposeChange
from artifacts.core.kinds import Kind, kind_named
from artifacts.core.patches import applied, applies_to_any_version
from artifacts.core.rejections import Invalid, VersionConflict
from artifacts.core.text import checked
from artifacts.limits import limits
from artifacts.models import Artifact

SUMMARY_LIMIT = 500


def asked_for(artifact: Artifact, command: EditArtifact | ProposeChange) -> tuple[Kind, str]:
    """The instance that the command asks for, and its summary.

    Raises `Invalid`, `TooLarge`, `VersionConflict` or `PatchFailed`.
    """
    if not 1 <= command.base <= artifact.version:
        raise Invalid({"base": f"There is no version {command.base}. The newest is {artifact.version}."})
    if not applies_to_any_version(command.patch):
        require_version(artifact, command.base)
    summary = checked("summary", command.summary, limit=SUMMARY_LIMIT, required=False)
    return applied(command.patch, kind_named(artifact.kind), artifact.data, limits()), summary


def require_version(artifact: Artifact, base: int) -> None:
    """Raises `VersionConflict` unless the artifact is still at the version `base`."""
    if base != artifact.version:
        raise VersionConflict(base, artifact.version, artifact.changed_by)
