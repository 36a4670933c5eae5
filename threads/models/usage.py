"""What agents used, and how often people wrote: what limits are held against. Only counts, never contents."""

from django.conf import settings
from django.db import models

from artifacts.models import Workspace
from threads.models.runs import Run
from threads.models.threads import Thread


class ModelRequest(models.Model):
    """One request to a model, written in the transaction that saves its response. The run has the sum."""

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="model_requests")
    run = models.ForeignKey(Run, models.CASCADE, related_name="model_requests")
    model = models.CharField(max_length=200, blank=True)
    input_tokens = models.BigIntegerField()
    output_tokens = models.BigIntegerField()
    cached_tokens = models.BigIntegerField()
    tool_calls = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.model}: {self.input_tokens} in, {self.output_tokens} out"


class Day(models.Model):
    """The tokens that a workspace's agents used in one day (UTC)."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="days")
    date = models.DateField()
    tokens = models.BigIntegerField()

    class Meta:
        ordering = ("date",)
        constraints = (models.UniqueConstraint(fields=("workspace", "date"), name="one_row_a_day"),)

    def __str__(self) -> str:
        return f"{self.date}: {self.tokens} tokens"


class Pace(models.Model):
    """When a person wrote in the last minute, in seconds since 1970. Its row is the lock on a person's limits."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    wrote = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"{len(self.wrote)} messages in a minute"
