"""Offers to join a workspace, for people who have no account yet."""

import uuid

from django.conf import settings
from django.db import models

from artifacts.models.workspaces import Membership, Workspace


class Invitation(models.Model):
    """A link that lets whoever has it join, once, until it expires. Only the hash of its token is stored.

    `seq` is that of the event which made it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=254)
    role = models.CharField(max_length=10, choices=Membership.Role.choices)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    seq = models.BigIntegerField()

    class Meta:
        ordering = ("-made_at",)

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"
