"""A run and what it waits for."""

import uuid

from django.conf import settings
from django.db import models

from threads.core import decisions, status
from threads.models.threads import Thread


class Run(models.Model):
    """The agent's work on one message, through all its pauses and processes. It acts for `user`.

    `usage` is what it used; `before` what the runs had used that it tries again, which counts towards its limits.
    """

    class Status(models.TextChoices):
        RUNNING = status.RUNNING
        PAUSED = status.PAUSED
        READY = status.READY
        COMPLETED = status.COMPLETED
        STOPPED = status.STOPPED
        FAILED = status.FAILED

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="runs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.RUNNING)
    trigger = models.CharField(max_length=10)
    attempt = models.PositiveSmallIntegerField(default=1)
    seq = models.BigIntegerField()
    paused_seq = models.BigIntegerField(default=0)
    stop_seq = models.BigIntegerField(null=True)
    code = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)
    usage = models.JSONField(default=dict)
    before = models.JSONField(default=dict)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("seq",)
        indexes = (
            models.Index(fields=("status",), name="runs_by_status"),
            models.Index(fields=("user", "status"), name="runs_of_a_person"),
        )
        permissions = (("stop_runs", "Can stop runs and have them tried again"),)

    def __str__(self) -> str:
        return f"run {self.id} ({self.status})"

    @property
    def ended(self) -> bool:
        """Whether nothing more can be recorded of it."""
        return self.status in status.ENDED


class Request(models.Model):
    """A question or an approval that a paused run waits for.

    `permission` is one that the tool names (`app.codename`): whoever decides needs it besides.
    """

    class Kind(models.TextChoices):
        QUESTION = decisions.QUESTION
        APPROVAL = decisions.APPROVAL

    class State(models.TextChoices):
        OPEN = decisions.OPEN
        ANSWERED = decisions.ANSWERED
        APPROVED = decisions.APPROVED
        DECLINED = decisions.DECLINED
        CLOSED = decisions.CLOSED

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    run = models.ForeignKey(Run, models.CASCADE, related_name="requests")
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="requests")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    tool = models.CharField(max_length=200)
    call = models.TextField()
    question = models.TextField(blank=True)
    arguments = models.JSONField(default=dict)
    description = models.TextField(blank=True)
    schema = models.JSONField(default=dict)
    choices = models.JSONField(default=list)
    artifacts = models.JSONField(default=list)
    permission = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    answer = models.JSONField(null=True)
    decided_by = models.CharField(max_length=200, blank=True)
    decided_at = models.DateTimeField(null=True)
    seq = models.BigIntegerField()
    asked_at = models.DateTimeField()

    class Meta:
        ordering = ("seq",)
        indexes = (
            models.Index(fields=("state", "asked_at", "id"), name="requests_that_wait"),
            models.Index(fields=("state", "tool"), name="requests_by_tool"),
        )
        permissions = (
            ("decide_approvals", "Can decide approvals"),
            ("answer_questions", "Can answer questions"),
        )

    def __str__(self) -> str:
        return f"{self.kind}: {self.question or self.tool}"
