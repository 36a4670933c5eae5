"""`manage.py` with its imports done: forks a process for each line of arguments that it reads, and says its id.

A line `wait <id>` waits for the end of one and says its exit code. Nothing is shared but imported code: no connection,
thread or event loop exists before a fork.
"""

import importlib
import json
import os
import signal
import sys
from pathlib import Path

import django
from django.core.management import execute_from_command_line

IMPORTED = ("threads.agent.runner", "threads.agent.assistant", "artifactr_site.urls")


def main() -> None:
    django.setup()
    for name in IMPORTED:
        importlib.import_module(name)
    for line in sys.stdin:
        match json.loads(line):
            case ["wait", int(pid)]:
                say(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            case [str(log), *arguments]:
                pid = os.fork()
                if pid == 0:
                    become(Path(log), [str(argument) for argument in arguments])
                say(pid)


def become(log: Path, arguments: list[str]) -> None:
    """Be the process that `manage.py` with these arguments is."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((nothing, output, output)):
        os.dup2(file, number)
    code = 0
    try:
        execute_from_command_line(["manage.py", *arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException:  # noqa: BLE001 (the process ends as Python would end it)
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    os._exit(code)


def say(number: int) -> None:
    print(json.dumps(number), flush=True)


if __name__ == "__main__":
    main()
