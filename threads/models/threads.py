"""A thread, with the position of its agent in the log and the claim on it, and the artifacts it follows."""

import uuid

from django.conf import settings
from django.db import models

from artifacts.models import Artifact, Workspace
from threads.core import status


class Thread(models.Model):
    """A chat of a workspace's members with an agent.

    `asked_seq` is the last message to the agent; `taken_seq` how far the log is in saved history. A turn holds the
    thread by `claim`, its token; it renews `claimed_until`, which is null once it was given up for dead: then others
    may take the thread.
    """

    class Mode(models.TextChoices):
        EDIT = "edit"
        SUGGEST = "suggest"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="threads")
    title = models.CharField(max_length=200, blank=True)
    mode = models.CharField(max_length=10, choices=Mode.choices, default=Mode.EDIT)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    archived_at = models.DateTimeField(null=True)
    asked_seq = models.BigIntegerField(default=0)
    taken_seq = models.BigIntegerField(default=0)
    claim = models.UUIDField(null=True)
    owner = models.CharField(max_length=64, blank=True)
    claimed_until = models.DateTimeField(null=True)
    run = models.ForeignKey("threads.Run", models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("-changed_at",)
        indexes = (
            models.Index(fields=("workspace", "-changed_at"), name="threads_newest_first"),
            models.Index(
                fields=("asked_seq",),
                condition=models.Q(asked_seq__gt=models.F("taken_seq")),
                name="threads_that_ask",
            ),
        )

    def __str__(self) -> str:
        return self.title or "New thread"

    @property
    def status(self) -> str:
        """`idle`, `running` or `paused`."""
        return status.of_thread(self.run.status if self.run else None)


class Focus(models.Model):
    """An artifact that a thread follows, since `seq`: the agent is told of what others do to it after that.

    `chosen` if a person said so; what the agent came to follow by itself makes room when there is too much.
    """

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="focus")
    artifact = models.ForeignKey(Artifact, models.CASCADE, related_name="+")
    seq = models.BigIntegerField()
    chosen = models.BooleanField(default=False)

    class Meta:
        ordering = ("seq",)
        constraints = (models.UniqueConstraint(fields=("thread", "artifact"), name="followed_once"),)

    def __str__(self) -> str:
        return f"{self.thread_id} follows {self.artifact_id}"
