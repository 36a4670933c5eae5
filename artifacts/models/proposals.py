"""Changes that wait for somebody's decision, and those that were decided."""

import uuid

from django.db import models

from artifacts.core.actors import Actor
from artifacts.models.artifacts import Artifact


class Proposal(models.Model):
    """A change of version `base` of an artifact. `artifacts.proposals` says what it makes of the current one.

    `patch` is the delta from the base's data (see `artifacts.core.deltas`), with the passage if it was one. `changes`
    are what the person who accepted it changed on top, in words or passages, as events have it. `seq` is that of
    `change_proposed`.
    """

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REJECTED = "rejected"
        WITHDRAWN = "withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    artifact = models.ForeignKey(Artifact, models.CASCADE, related_name="proposals")
    base = models.PositiveIntegerField()
    patch = models.JSONField()
    summary = models.CharField(max_length=500, blank=True)
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_name = models.CharField(max_length=200)
    thread = models.UUIDField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    reason = models.TextField(blank=True)
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)
    changes = models.JSONField(default=dict)
    seq = models.BigIntegerField()
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("-seq",)
        indexes = (models.Index(fields=("artifact", "state"), name="proposals_by_state"),)

    def __str__(self) -> str:
        return self.summary or f"a change of {self.artifact}"

    @property
    def author(self) -> Actor:
        """Who made it."""
        return Actor(self.actor_kind, self.actor_id, self.actor_name)  # type: ignore[arg-type]  # as it was written
