"""`manage.py` with its libraries imported: forks a process for each command that it is told of, and says its id.

Importing them is most of what a process costs as it starts. Nothing of ours is imported here, so that each process has
the settings of its own environment; and no connection, thread or event loop exists before a fork.
"""

import gc
import importlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from typing import Any

LIBRARIES = (
    "autobahn.twisted.websocket",
    "channels.generic.websocket",
    "daphne.http_protocol",
    "django.contrib.admin.options",
    "django.core.management",
    "django.db.backends.postgresql.base",
    "django.db.backends.sqlite3.base",
    "django.views.generic",
    "jsonpatch",
    "jsonschema",
    "linkify_it",
    "markdown_it",
    "nh3",
    "psycopg_pool",
    "pydantic_ai.capabilities",
    "pydantic_ai.models.function",
    "pygments.lexers",
    "redis.asyncio",
    "twisted.internet.endpoints",
    "whitenoise.middleware",
)


def main() -> None:
    for name in LIBRARIES:
        importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules, "it holds an event loop, which forks would share"
    gc.freeze()
    for line in sys.stdin:
        match json.loads(line):
            case {"poll": int(pid)}:
                ended, status = os.waitpid(pid, os.WNOHANG)
                say(os.waitstatus_to_exitcode(status) if ended else None)
            case {"arguments": [*arguments], "environment": dict(environment), "files": [*files]}:
                if (pid := os.fork()) == 0:
                    become(environment, files)
                    carry_out([str(argument) for argument in arguments])
                    return
                say(pid)


def become(environment: Mapping[str, str], files: Sequence[str]) -> None:
    """Have this environment, and these files as standard input, output and error."""
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, path in enumerate(files):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT if number else os.O_RDONLY
        os.dup2(os.open(path, flags, 0o600), number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  # what was read ahead of the old one is not for us
    for output in (sys.stdout, sys.stderr):
        output.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def carry_out(arguments: Sequence[str]) -> None:
    """Be the process that `manage.py` with these arguments is, to its end."""
    from django.core.management import execute_from_command_line

    sys.argv = ["manage.py", *arguments]
    execute_from_command_line(sys.argv)


def say(number: Any) -> None:
    print(json.dumps(number), flush=True)


if __name__ == "__main__":
    main()
