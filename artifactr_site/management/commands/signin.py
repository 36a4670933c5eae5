"""`manage.py signin [username]`: print a link that signs in once, within ten minutes, on this machine.

Without a username it is for the first superuser, who is made when there is none: `admin`, without a password until
`bin/manage changepassword admin` sets one.
"""

import argparse
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from artifactr_site.origins import Origin
from artifactr_site.signin import sign_in_path

FIRST = "admin"


class Command(BaseCommand):
    help = "Prints a one-time sign-in link for a browser on this machine."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("username", nargs="?", help="whom to sign in; otherwise the first superuser")

    def handle(self, *args: Any, username: str | None = None, **options: Any) -> None:
        origin = self.own_origin()
        user = self.named(username) if username else self.first_superuser()
        minutes = settings.ARTIFACTR_SIGN_IN_LINK_SECONDS // 60
        self.stdout.write(f"Sign in as {user.username} (once, within {minutes} minutes, on this machine):")
        self.stdout.write(f"{origin}{sign_in_path(user)}")

    def own_origin(self) -> Origin:
        """The first configured origin under which a browser on this machine reaches the server directly."""
        for origin in map(Origin.parse, settings.ARTIFACTR_ORIGINS):
            if origin.is_loopback and origin.scheme == "http":
                return origin
        raise CommandError(
            "No origin in ARTIFACTR_ORIGINS is this machine's own, and sign-in links work only there:"
            " add one, such as http://127.0.0.1:8000, or set a password with manage.py changepassword."
        )

    def named(self, username: str) -> User:
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(
                f"There is no active user {username!r}: make one with manage.py createsuperuser."
            )
        return user

    def first_superuser(self) -> User:
        user = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
        return user or self.new_superuser()

    def new_superuser(self) -> User:
        if User.objects.filter(username=FIRST).exists():
            raise CommandError(
                f"There is no active superuser, and the name {FIRST!r} is taken:"
                " make one with manage.py createsuperuser."
            )
        user = User.objects.create_superuser(FIRST)
        self.stdout.write(
            f"Made the first superuser, {FIRST}. To set a password: bin/manage changepassword {FIRST}"
        )
        return user
