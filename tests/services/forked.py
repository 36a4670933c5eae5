"""Commands of `manage.py` as processes of their own, each a fork of one that has done their imports (`forking.py`)."""

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests.services import session

CHECKOUT = Path(__file__).resolve().parents[2]
NOTHING = Path(os.devnull)

type Files = tuple[Path, Path, Path]
"""Standard input, output and error."""

NOWHERE: Files = (NOTHING, NOTHING, NOTHING)

_one_at_a_time = threading.Lock()


class Forked:
    """One process: as much of a `Popen` as tests need."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], files: Files) -> None:
        told = {"arguments": list(arguments), "environment": dict(environment), "files": [*map(str, files)]}
        self.pid = int(_asked(told))
        self.returncode: int | None = None
        session.started(self.pid)

    def poll(self) -> int | None:
        """The exit code, once there is one."""
        if self.returncode is None:
            self.returncode = _asked({"poll": self.pid})
            if self.returncode is not None:
                session.ended(self.pid)
        return self.returncode

    def wait(self, seconds: float | None = None) -> int:
        """The exit code, as soon as there is one. Raises `TimeoutExpired`."""
        deadline = time.monotonic() + (seconds or float("inf"))
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("manage.py", seconds or 0)
            time.sleep(0.005)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        """Harmless after the end."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _asked(line: Mapping[str, Any]) -> Any:
    with _one_at_a_time:
        forks = _forks()
        assert forks.stdin is not None
        assert forks.stdout is not None
        forks.stdin.write(json.dumps(line) + "\n")
        forks.stdin.flush()
        return json.loads(forks.stdout.readline())


@cache
def _forks() -> subprocess.Popen[str]:
    """The process that forks: one for each process of pytest."""
    forks = subprocess.Popen(
        [sys.executable, "-m", "tests.services.forking"],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    session.started(forks.pid)
    atexit.register(_end, forks)
    return forks


def _end(forks: subprocess.Popen[str]) -> None:
    forks.kill()
    forks.communicate()
    session.ended(forks.pid)
