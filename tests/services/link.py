"""A link between a browser and a server that can go half dead: it stays open, and nothing comes through."""

import socket
import threading
from contextlib import suppress

from tests.services.redis import free_port


class Link:
    """Forwards connections to a port of this machine. `url` has no slash at its end."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", free_port()))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._alive = threading.Event()
        self._alive.set()
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def die(self) -> None:
        """From now on nothing comes through, and nobody is told; what was on its way is lost."""
        self._alive.clear()

    def revive(self) -> None:
        """New connections come through again. The old ones stay dead."""
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._open.clear()
        self._alive.set()

    def close(self) -> None:
        """Take no more connections, and end those that there are."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.revive()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._forward, args=(one, other), daemon=True).start()

    def _forward(self, one: socket.socket, other: socket.socket) -> None:
        """Each thread closes the socket that it reads. While the link is dead, nobody is told of an end either."""
        with suppress(OSError), one:
            while data := one.recv(65_536):
                if self._alive.is_set():
                    other.sendall(data)
            self._alive.wait()
            other.shutdown(socket.SHUT_RDWR)
