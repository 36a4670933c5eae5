"""A Redis of a test's own, on a free port; it can be stopped and started again."""

import socket
import subprocess
import time

from tests.services import needed, session


class Redis:
    """A running Redis that keeps nothing; `url` is its address."""

    def __init__(self) -> None:
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        keep_nothing = ["--save", "", "--appendonly", "no", "--daemonize", "no"]
        self.process = subprocess.Popen(
            [needed.redis_server(), "--bind", "127.0.0.1", "--port", str(self.port), *keep_nothing],
            stdout=subprocess.DEVNULL,
            cwd=session.folder(),
        )
        session.started(self.process.pid)
        wait_for_port(self.port, "Redis")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            session.ended(self.process.pid)
            self.process = None


def wait_for_port(port: int, name: str, seconds: float = 10) -> None:
    """Return once somebody listens there. Raises `RuntimeError` naming who did not."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{name} did not start") from None
            time.sleep(0.02)


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
