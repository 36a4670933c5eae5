"""`manage.py serve`: serve pages and run turns, until SIGTERM or SIGINT.

    manage.py serve                   pages and turns, on 127.0.0.1:8000
    manage.py serve --no-runs         pages only; turns run in other processes
    manage.py serve --runs-only       turns only; no port

A host that is not this machine alone (`--host 0.0.0.0`) belongs behind a proxy that speaks https, see README.
"""

import argparse
import asyncio
import io
import logging
import os
import sys
import threading
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from artifactr_site.runs import Among, NoRuns, Runs, run_alone
from artifactr_site.statics import make_current

logger = logging.getLogger(__name__)

EXIT_SECONDS = 5.0
"""How long threads may go on once everything is handed over; a stuck one must not keep the process."""


class Command(BaseCommand):
    help = "Serves pages and runs turns, until SIGTERM or SIGINT."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)")
        parser.add_argument(
            "--port", default=8000, type=int, help="the port to listen on (8000; 0: any free one)"
        )
        parser.add_argument(
            "--sign-in", action="store_true", help="print a sign-in link once pages are served"
        )
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--no-runs", action="store_true", help="serve pages only")
        what.add_argument("--runs-only", action="store_true", help="run turns only, and listen nowhere")

    def handle(self, *args: Any, **options: Any) -> None:
        require_migrated()
        if options["runs_only"]:
            self.run_turns()
        else:
            runs = among(NoRuns()) if options["no_runs"] else new_runner()
            self.serve(
                options["host"], options["port"], runs, greeting=sign_in_link() if options["sign_in"] else ""
            )
        exit_soon()

    def run_turns(self) -> None:
        asyncio.run(
            run_alone(
                new_runner(),
                grace=settings.ARTIFACTR_SHUTDOWN_SECONDS,
                ready=lambda: self.say("artifactr runs turns, and serves no pages"),
            )
        )

    def serve(self, host: str, port: int, runs: Runs, *, greeting: str) -> None:
        collect_static_files()
        # Only now: WhiteNoise looks at the static files, and Daphne takes over Twisted, as they are imported.
        from artifactr_site.asgi import application
        from artifactr_site.server import SiteServer

        server = SiteServer(
            application,
            host=host,
            port=port,
            runs=runs,
            grace=settings.ARTIFACTR_SHUTDOWN_SECONDS,
            ready=lambda address: self.say(f"artifactr serves on {address}\n{greeting}".rstrip()),
        )
        server.run()
        if server.failure:
            raise CommandError(server.failure)

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def new_runner() -> Runs:
    """Imported late: only a process that runs turns needs pydantic-ai."""
    from threads.agent.runner import Runner

    return among(Runner())


def among(runs: Runs) -> Runs:
    """With the other processes, where Redis connects them. Where it should and does not, say so."""
    if settings.ARTIFACTR_SHARED:
        return Among(runs)
    if connection.vendor != "sqlite":
        logger.warning(
            "Without ARTIFACTR_REDIS_URL several processes work together by polling the database: nothing is lost,"
            " but what happens in one shows in the others seconds later, and live output only where its run is."
        )
    return runs


def sign_in_link() -> str:
    """What `manage.py signin` prints. Asked for before the loop starts, and shown when the link can be followed."""
    printed = io.StringIO()
    call_command("signin", stdout=printed)
    return printed.getvalue()


def require_migrated() -> None:
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise CommandError(f"The database does not answer: {str(error).strip()}") from error
    finally:
        connection.close()
    if missing:
        raise CommandError("The database is not up to date: run manage.py migrate first.")


def collect_static_files() -> None:
    try:
        make_current()
    except OSError as error:
        raise CommandError(
            f"Static files cannot be collected: {error}. Run manage.py collectstatic before."
        ) from error


def exit_soon() -> None:
    """Leave within a bound: interpreters wait for threads, and one may be stuck in a database that is away."""
    sys.stdout.flush()
    watchdog = threading.Timer(EXIT_SECONDS, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()
