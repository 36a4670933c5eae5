"""Versions as they were."""

from typing import Any

from artifacts.core.rejections import Invalid
from artifacts.models import Artifact, Revision


def revision_at(artifact: Artifact, version: int) -> Revision:
    """One version's row. Raises `Invalid` if there is no such version."""
    revision = artifact.revisions.filter(version=version).first()
    if revision is None:
        raise Invalid({"version": f"There is no version {version}. The newest is {artifact.version}."})
    return revision


def data_at(artifact: Artifact, version: int) -> dict[str, Any]:
    """What a version held. Raises `Invalid` if there is no such version."""
    if version == artifact.version:
        data: dict[str, Any] = artifact.data
        return data
    return revision_at(artifact, version).data
