"""Every person has a workspace of their own from the moment their account exists."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db.models.signals import post_save

from artifacts import members

LONGEST_NAME = 180


def connect() -> None:
    """Listen for new accounts."""
    post_save.connect(_found, sender=get_user_model(), dispatch_uid="a workspace of their own")


def _found(sender: type[User], instance: User, **saved: Any) -> None:
    if saved["created"] and not saved["raw"]:
        name = members.actor_of(instance).name[:LONGEST_NAME]
        members.found_workspace(instance, f"{name}’s workspace")
