"""A `Served` whose starts cost no imports: each is a fork of a process that has done them (`forking.py`)."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.services import session
from tests.services.served import CHECKOUT, Served


class Warm(Served):
    """One server process after the other, each a fork."""

    def __init__(
        self,
        database_url: str,
        *,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(database_url, arguments=arguments, environment=environment)
        self.pid = 0
        self.forks = subprocess.Popen(
            [sys.executable, "-m", "tests.processes.forking"],
            cwd=CHECKOUT,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        session.started(self.forks.pid)

    def start(self, *, wait: bool = True) -> None:
        """Fork a server, and by default wait until it is ready."""
        self.lines_before = self.log().count("\n")
        self.pid = self._asked(str(self.log_path), "serve", "--port", str(self.port), *self.arguments)
        session.started(self.pid)
        if wait:
            self.wait_ready()

    def is_over(self) -> bool:
        """Whether the process has ended. One that waits to be asked for its exit code has."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"

    def send(self, number: signal.Signals, seconds: float = 30) -> int:
        """Send a signal and wait for the end of the process; its exit code. Harmless after the end."""
        if not self.pid:
            return 0
        os.kill(self.pid, number)
        code = self._asked("wait", self.pid)
        session.ended(self.pid)
        self.pid = 0
        return code

    def manage(self, *arguments: str) -> str:
        """Run another command of manage.py on the same database; what it printed. Raises on failure."""
        output = self.log_path.with_suffix(f".{uuid4().hex[:6]}")
        if code := self._asked("wait", self._asked(str(output), *arguments)):
            raise RuntimeError(f"manage.py {' '.join(arguments)}: {code}\n{output.read_text()}")
        return output.read_text()

    def close(self) -> None:
        """End everything."""
        self.kill9()
        assert self.forks.stdin is not None
        assert self.forks.stdout is not None
        self.forks.stdin.close()
        self.forks.wait(10)
        self.forks.stdout.close()
        session.ended(self.forks.pid)

    def _asked(self, *line: Any) -> int:
        assert self.forks.stdin is not None
        assert self.forks.stdout is not None
        self.forks.stdin.write(json.dumps(line) + "\n")
        self.forks.stdin.flush()
        return int(json.loads(self.forks.stdout.readline()))
