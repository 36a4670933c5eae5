"""What became of commands that their callers may ask for again."""

from django.db import models

from artifacts.models.workspaces import Workspace


class Receipt(models.Model):
    """The outcome of one command with an id of its caller's. `digest` tells whether it is asked for again as it was."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    actor_kind = models.CharField(max_length=10)
    actor_id = models.CharField(max_length=64, blank=True)
    command_id = models.CharField(max_length=100)
    digest = models.CharField(max_length=64)
    outcome = models.JSONField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("workspace", "actor_kind", "actor_id", "command_id"), name="one_receipt_a_command"
            ),
        )

    def __str__(self) -> str:
        return f"the outcome of {self.command_id}"
