"""A workspace: what a team shares. Its row is the lock under which everything in it changes."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from artifacts.core.rules import EDITOR, OWNER, VIEWER


class Workspace(models.Model):
    """Members, artifacts, threads and one log, whose newest `seq` is `head`.

    Staff say how it is governed, by `artifacts.governing`: the `default_mode` of its threads, how many `tokens_a_day`
    its agents may use (None: what the installation allows), and whether `editors_decide` approvals too.
    """

    class Mode(models.TextChoices):
        EDIT = "edit"
        SUGGEST = "suggest"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200)
    head = models.BigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    default_mode = models.CharField(max_length=10, choices=Mode.choices, default=Mode.EDIT)
    tokens_a_day = models.PositiveBigIntegerField(null=True)
    editors_decide = models.BooleanField(default=False)

    class Meta:
        permissions = (
            ("govern_workspaces", "Can say how workspaces are governed, and who is in them"),
            ("erase_workspaces", "Can delete workspaces with all that is in them"),
        )

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a workspace."""

    class Role(models.TextChoices):
        VIEWER = VIEWER, "viewer"
        EDITOR = EDITOR, "editor"
        OWNER = OWNER, "owner"

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("workspace", "user"), name="one_role_a_member"),)

    def __str__(self) -> str:
        return f"{self.user} as {self.role}"
