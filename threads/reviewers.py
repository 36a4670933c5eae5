"""The group “Reviewers”: whoever is in it may decide approvals and answer questions, in every workspace.

It is made once, as the database is; what staff make of it afterwards stays.
"""

from typing import Any

from django.apps import AppConfig
from django.apps import apps as current
from django.contrib.auth.management import create_permissions
from django.db.models.signals import post_migrate

NAME = "Reviewers"
CODENAMES = ("decide_approvals", "answer_questions")


def connect(app: AppConfig) -> None:
    """Make the group after this app's tables."""
    post_migrate.connect(_make, sender=app, dispatch_uid="a group of reviewers")


def _make(sender: AppConfig, using: str, apps: Any = current, **migrated: Any) -> None:
    try:
        groups, permissions = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    except LookupError:
        return  # an installation that was migrated no further than this app
    create_permissions(sender, using=using, apps=apps, verbosity=0)
    group, is_new = groups.objects.using(using).get_or_create(name=NAME)
    if is_new:
        found = permissions.objects.using(using).filter(
            content_type__app_label="threads", content_type__model="request", codename__in=CODENAMES
        )
        group.permissions.set(found)
