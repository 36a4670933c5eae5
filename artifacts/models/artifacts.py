"""Artifacts as they are now, every version they had, and the versions made public."""

import uuid

from django.db import models

from artifacts.core.kinds import Kind, kind_named
from artifacts.models.workspaces import Workspace


class Artifact(models.Model):
    """A versioned instance of a kind. `data` is what version `version` holds."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="artifacts")
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    version = models.PositiveIntegerField(default=1)
    data = models.JSONField()
    created_seq = models.BigIntegerField()
    changed_by = models.CharField(max_length=200)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)

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
    """One committed version of an artifact, with its data whole."""

    artifact = models.ForeignKey(Artifact, models.CASCADE, related_name="revisions")
    version = models.PositiveIntegerField()
    title = models.CharField(max_length=200)
    data = models.JSONField()
    summary = models.CharField(max_length=500, blank=True)
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


class Publication(models.Model):
    """A public, read-only page of one version of an artifact."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    revision = models.OneToOneField(Revision, models.CASCADE, related_name="publication")
    published_by = models.CharField(max_length=200)
    published_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.revision)
