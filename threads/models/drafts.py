"""An artifact while an agent writes it."""

from django.db import models

from artifacts.models import Artifact
from threads.models.runs import Run
from threads.models.threads import Thread


class Draft(models.Model):
    """The latest snapshot of what one tool call is writing; not committed.

    `artifact` is the one that it would change, or that it became. Staff decide what becomes of a draft that was left.
    """

    class State(models.TextChoices):
        WRITING = "writing"
        LEFT = "left"
        SUPERSEDED = "superseded"
        PUBLISHED = "published"
        DISCARDED = "discarded"

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="drafts")
    run = models.ForeignKey(Run, models.CASCADE, related_name="drafts")
    call = models.CharField(max_length=200)
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200, blank=True)
    data = models.JSONField(default=dict)
    artifact = models.ForeignKey(Artifact, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.WRITING)
    updated_at = models.DateTimeField()
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-updated_at",)
        constraints = (models.UniqueConstraint(fields=("run", "call"), name="one_draft_a_call"),)
        indexes = (models.Index(fields=("state", "-updated_at"), name="drafts_by_state"),)
        permissions = (("settle_drafts", "Can publish and discard drafts"),)

    def __str__(self) -> str:
        return self.title or f"{self.kind} without a title"
