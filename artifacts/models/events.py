"""The log's rows. Append-only: `log.write` inserts them and nothing changes them."""

from django.db import models

from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope
from artifacts.models.workspaces import Workspace


class Event(models.Model):
    """A fact of a workspace, numbered by `seq` without a gap."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="events")
    seq = models.BigIntegerField()
    type = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64, blank=True)
    actor_name = models.CharField(max_length=200)
    at = models.DateTimeField()
    thread = models.UUIDField(null=True)
    artifact = models.UUIDField(null=True)
    about = models.BigIntegerField(null=True)
    key = models.CharField(max_length=200, null=True)  # noqa: DJ001 (many events have no key, and NULLs differ)

    class Meta:
        ordering = ("seq",)
        constraints = (
            models.UniqueConstraint(fields=("workspace", "seq"), name="one_event_a_seq"),
            models.UniqueConstraint(fields=("workspace", "key"), name="one_event_a_key"),
        )
        indexes = (
            models.Index(fields=("thread", "seq"), name="events_of_a_thread"),
            models.Index(fields=("artifact", "seq"), name="events_of_an_artifact"),
            models.Index(fields=("workspace", "about"), name="events_about_a_thing"),
            models.Index(fields=("workspace", "type", "seq"), name="events_of_a_type"),
        )

    def __str__(self) -> str:
        return f"{self.seq} {self.type}"

    def envelope(self) -> Envelope:
        """The event as plain data."""
        return Envelope(
            workspace=str(self.workspace_id),
            seq=self.seq,
            type=self.type,
            data=self.data,
            actor=Actor(self.actor_kind, self.actor_id, self.actor_name),  # type: ignore[arg-type]  # as it was written
            at=self.at,
            thread=str(self.thread) if self.thread else None,
            artifact=str(self.artifact) if self.artifact else None,
            about=self.about,
            key=self.key,
        )
