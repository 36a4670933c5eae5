"""People and what they have, for tests of rows."""

from django.contrib.auth.models import User

from artifacts.models import Membership


def person(name: str) -> User:
    """An account; with it comes a workspace of its own."""
    return User.objects.create_user(name.lower(), first_name=name, password="x")


def workspace_of(user: User) -> str:
    """The workspace that a person founded with their account."""
    return str(Membership.objects.filter(user=user, role="owner").earliest("pk").workspace_id)
