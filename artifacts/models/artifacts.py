"""Artifacts as they are now, every version they had, and the versions made public."""

import uuid
from functools import cached_property
from typing import Any

from django.db import models

from artifacts.core import deltas
from artifacts.core.kinds import Kind, kind_named
from artifacts.models.workspaces import Workspace


class Artifact(models.Model):
    """A versioned instance of a kind. `data` is what version `version` holds.

    The last columns say how the next version is to be stored: the last version that is stored whole, how much the
    deltas since then weigh, and the digest of the canonical text that the next one starts from.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="artifacts")
    kind = models.CharField(max_length=40)
    title = models.TextField()
    version = models.PositiveIntegerField(default=1)
    data = models.JSONField()
    created_seq = models.BigIntegerField()
    changed_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)
    whole_version = models.PositiveIntegerField(default=1)
    weight = models.PositiveBigIntegerField(default=0)
    digest = models.BigIntegerField(default=0)

    class Meta:
        ordering = ("-changed_at",)
        indexes = (models.Index(fields=("workspace", "-changed_at"), name="artifacts_newest_first"),)

    def __str__(self) -> str:
        return self.title

    def instance(self) -> Kind:
        """The data as an instance of its kind. Raises `pydantic.ValidationError` if the kind has changed since."""
        return kind_named(self.kind).model_validate(self.data)

    def text(self) -> str | None:
        """The text of a kind that has one, else None."""
        field = kind_named(self.kind).text_field
        return None if field is None else str(self.data.get(field, ""))


class Revision(models.Model):
    """One committed version of an artifact, who committed it, and the proposal that it came from, if from one.

    It is stored whole, in `snapshot`, or as the delta, in `patch`, from the version before; `whole_version` is the last
    one before it that is whole, or itself.
    """

    artifact = models.ForeignKey(Artifact, models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField()
    title = models.TextField()
    whole_version = models.PositiveIntegerField()
    snapshot = models.JSONField(null=True)
    patch = models.JSONField(null=True)
    summary = models.CharField(max_length=500, blank=True)
    proposal = models.ForeignKey("artifacts.Proposal", models.SET_NULL, null=True, related_name="revisions")
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_name = models.CharField(max_length=200)
    seq = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("-version",)
        constraints = (
            models.UniqueConstraint(fields=("artifact", "version"), name="one_revision_a_version"),
        )

    def __str__(self) -> str:
        return f"{self.title}, version {self.version}"

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the version held, rebuilt from the last one that is stored whole, in one query."""
        steps = Revision.objects.filter(
            artifact_id=self.artifact_id, version__range=(self.whole_version, self.version)
        ).order_by("version")
        (whole, _), *rest = steps.values_list("snapshot", "patch")
        return deltas.rebuilt(deltas.canonical(whole), [patch for _, patch in rest if patch is not None])


class Publication(models.Model):
    """A public, read-only page of one version of an artifact."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    revision = models.OneToOneField(Revision, models.CASCADE, related_name="publication")
    published_by = models.CharField(max_length=200)
    published_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.revision)
