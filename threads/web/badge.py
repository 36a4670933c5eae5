"""How many requests wait for a person, and the way to them. Nothing waits for who may decide nothing."""

from typing import Any

from django.contrib.auth.models import User
from django.urls import reverse

from threads.turns.deciders import decidable_by

MANY = 99


def badge(user: User) -> dict[str, Any]:
    """What the badge shows. Nothing waits for who may decide nothing."""
    number = decidable_by(user).order_by()[: MANY + 1].count()
    return {"number": f"{MANY}+" if number > MANY else number, "address": _way(user, number)}


def _way(user: User, number: int) -> str:
    """Staff decide in the admin; members in the thread that waits longest for them."""
    if user.is_staff:
        return reverse("admin:threads_request_changelist")
    oldest = decidable_by(user).filter(thread__workspace__memberships__user=user).order_by("asked_at").first()
    return reverse("thread", args=[oldest.thread_id]) if number and oldest is not None else ""
