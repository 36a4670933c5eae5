"""A TCP address for the run's PostgreSQL, whose connections can be cut and refused for a while."""

import contextlib
import socket
import threading

from tests.services import session


class Proxy:
    """Hands bytes through, until it is cut; `port` is on 127.0.0.1."""

    def __init__(self) -> None:
        self._target = str(session.folder() / "postgresql" / ".s.PGSQL.5432")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def database_url(self, name: str) -> str:
        """The address of a database by way of here."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def cut(self) -> int:
        """Break every connection, and each new one as it comes; how many there were."""
        with self._lock:
            self._is_cut = True
            cut, self._open = self._open, set()
        for connection in cut:
            _end(connection)
        return len(cut) // 2

    def mend(self) -> None:
        """Let new connections through again."""
        with self._lock:
            self._is_cut = False

    def close(self) -> None:
        """Break everything for good."""
        _end(self._listener)
        self.cut()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                self._join(self._listener.accept()[0])

    def _join(self, near: socket.socket) -> None:
        far = socket.socket(socket.AF_UNIX)
        far.connect(self._target)
        with self._lock:
            if self._is_cut:
                _end(near)
                _end(far)
                return
            self._open |= {near, far}
        for one, other in ((near, far), (far, near)):
            threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65_536):
                other.sendall(data)
        with self._lock:
            self._open -= {one, other}
        _end(one)
        _end(other)


def _end(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
