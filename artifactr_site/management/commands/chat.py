"""`manage.py chat`: talk to the agent in a terminal, over the same Runner as the pages.

    manage.py chat                        a new thread, as the first superuser
    manage.py chat --user bob --list      Bob's threads
    manage.py chat --thread <id>          go on in one

It works beside a serving process: whichever of the two takes a turn, both see what it says, and here also word by
word if it is this one. Ctrl-C stops the agent, and ends the chat when the agent does nothing.
"""

import argparse
import asyncio
import signal
import sys
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from artifactr_site.management.commands.serve import exit_soon, new_runner, require_migrated
from artifacts.models import Membership
from threads.reading import threads_of


class Command(BaseCommand):
    help = "Talks to the agent in a terminal."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--user", help="who talks (the first superuser)")
        parser.add_argument("--thread", help="the id of the thread to go on in (a new one)")
        parser.add_argument("--list", action="store_true", help="list the threads, with their ids, and end")

    def handle(self, *args: Any, **options: Any) -> None:
        require_migrated()
        user = person(options["user"])
        if options["list"]:
            for thread in threads_of(user).filter(archived_at=None):
                self.stdout.write(f"{thread.pk}  {thread.status:8}  {thread}")
            return
        asyncio.run(self.chat(user, workspace_of(user), options["thread"]))
        exit_soon()

    async def chat(self, user: User, workspace: str, thread: str | None) -> None:
        from threads.terminal.chat import Chat
        from threads.terminal.keyboard import typed
        from threads.terminal.screen import Screen

        runs = new_runner()
        chat = Chat(user, workspace, typed(sys.stdin), Screen(self.show))
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, chat.interrupt)
        await runs.start()
        try:
            await chat.converse(thread)
        finally:
            await runs.shutdown(settings.ARTIFACTR_SHUTDOWN_SECONDS)

    def show(self, text: str) -> None:
        self.stdout.write(text, ending="")
        self.stdout.flush()


def person(name: str | None) -> User:
    accounts = User.objects.filter(is_active=True).order_by("pk")
    user = accounts.filter(username=name).first() if name else accounts.filter(is_superuser=True).first()
    if user is None:
        raise CommandError(f"There is nobody called {name!r}." if name else "Say who talks: --user NAME.")
    return user


def workspace_of(user: User) -> str:
    membership = Membership.objects.filter(user=user).order_by("pk").first()
    if membership is None:
        raise CommandError(f"{user.get_username()} is no member of a workspace: an owner can add them.")
    return str(membership.workspace_id)
