"""artifactr itself as a real process: `manage.py serve` on a port and a database of its own.

A `Served` can be killed as by a power cut, told to stop as by a deploy, and started again on the same port and
database. Its databases are copies of one that was migrated once a run.
"""

import os
import shutil
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from uuid import uuid4

from tests.services import postgresql, session
from tests.services.forked import NOWHERE, Files, Forked
from tests.services.redis import free_port

TEMPLATE = "template_artifactr"
PERSON = """
from django.contrib.auth.models import User
from django.core.management import call_command
rights = {{"is_superuser": {superuser}, "is_staff": {superuser}}}
User.objects.update_or_create(username={username!r}, defaults=rights)
call_command("signin", {username!r})
"""


class Served:
    """One server process. `url` has no slash at its end; times are in seconds."""

    def __init__(
        self,
        database_url: str,
        *,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.database_url = database_url
        self.arguments = tuple(arguments)
        self.extra = dict(environment or {})
        self.log_path = session.folder() / f"served-{self.port}-{uuid4().hex[:6]}.log"
        self.process: Forked | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The process' whole environment: nothing of artifactr's settings comes from outside."""
        outside = {name: value for name, value in os.environ.items() if not name.startswith("ARTIFACTR_")}
        return outside | {
            "ARTIFACTR_DATABASE_URL": self.database_url,
            "ARTIFACTR_ORIGINS": self.url,
            "ARTIFACTR_SECRET_KEY": session.SECRET_KEY,
            "DJANGO_SETTINGS_MODULE": "artifactr_site.settings",
            "PYTHONUNBUFFERED": "1",
            **self.extra,
        }

    def start(self, *, wait: bool = True) -> None:
        """Start the process, and by default wait until it is ready."""
        command = "serve", "--port", str(self.port), *self.arguments
        self.process = self.command(*command, files=(NOWHERE[0], self.log_path, self.log_path))
        self.lines_before = self.log().count("\n")
        if wait:
            self.wait_ready()

    def wait_ready(self, seconds: float = 90) -> None:
        """Return once `/readyz` says so (a process without pages: once it said so). Raises RuntimeError."""
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if self.is_over() or time.monotonic() > deadline:
                raise RuntimeError(f"artifactr did not get ready:\n{self.log()}")
            time.sleep(0.05)

    def is_over(self) -> bool:
        """Whether the process has ended, or was never started."""
        return self.process is None or self.process.poll() is not None

    def is_ready(self) -> bool:
        said = self.log().splitlines()[self.lines_before :]
        if not any(line.startswith(("artifactr serves", "artifactr runs")) for line in said):
            return False
        return "--runs-only" in self.arguments or self.answers("/readyz")

    def answers(self, path: str) -> bool:
        """Whether the server answers a path with success."""
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=5) as response:
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def kill9(self) -> None:
        """As a power cut does it."""
        self.send(signal.SIGKILL)

    def terminate(self, seconds: float = 30) -> int:
        """As a deploy does it; the exit code."""
        return self.send(signal.SIGTERM, seconds)

    def send(self, number: signal.Signals, seconds: float = 30) -> int:
        """Send a signal and wait for the end of the process; its exit code. Harmless after the end."""
        assert self.process is not None, "never started"
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def restart(self) -> None:
        """Start again where it was, on the same port and database; stops it first if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.terminate()
        self.start()

    def log(self) -> str:
        """All that the process wrote, over all its starts."""
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def manage(self, *arguments: str, types: str = "") -> str:
        """Run another command of manage.py on the same database; what it printed. Raises on failure."""
        stem = session.folder() / f"manage-{uuid4().hex}"
        typed, output, errors = (stem.with_suffix(suffix) for suffix in (".in", ".out", ".err"))
        typed.write_text(types)
        if self.command(*arguments, files=(typed, output, errors)).wait():
            raise RuntimeError(f"manage.py {' '.join(arguments)}:\n{output.read_text()}{errors.read_text()}")
        return output.read_text()

    def command(self, *arguments: str, files: Files = NOWHERE) -> Forked:
        """Another command of manage.py, started, with files for its standard input, output and error."""
        return Forked(arguments, self.environment, files)

    def person(self, username: str, *, superuser: bool = False) -> str:
        """A person, made if need be; the address of a new link that signs them in once."""
        script = PERSON.format(username=username, superuser=superuser)
        return self.manage("shell", "--no-imports", "-c", script).split()[-1]


def fresh_database(kind: str, template: str = TEMPLATE) -> str:
    """A migrated database that nobody else uses, as an address; `kind` is sqlite or postgresql.

    It is a copy of `template`, which nothing may be connected to.
    """
    name = f"served_{uuid4().hex[:12]}"
    if kind == "postgresql":
        postgresql.ensure()
    with session.turn(f"template-{kind}"):
        make_template(kind)
    if kind == "postgresql":
        return postgresql.create_database(name, template)
    shutil.copy(session.folder() / f"{template}.sqlite3", session.folder() / f"{name}.sqlite3")
    return session.database_url(kind, name)


def make_template(kind: str) -> None:
    done = session.folder() / f"template-{kind}.done"
    if done.exists():
        return
    if kind == "postgresql":
        postgresql.create_database(TEMPLATE)
    Served(session.database_url(kind, TEMPLATE)).manage("migrate", "--verbosity", "0")
    done.touch()
