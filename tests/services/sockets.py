"""Web sockets without a browser: enough of RFC 6455 to watch a page, so cheaply that hundreds fit in a test."""

import asyncio
import base64
import os
from dataclasses import dataclass, field

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


@dataclass(eq=False)
class Listener:
    """One socket that listens, and counts the messages that came."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    messages: int = 0
    _words: bytes = b""
    _since: list[bytes] = field(default_factory=list)
    _found: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Take what comes until the end."""
        while True:
            try:
                operation, payload = await self._frame()
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            if operation == PING:
                self._answer(payload)
            if operation == CLOSE:
                return
            if operation == TEXT:
                self._take(payload)

    def expect(self, words: str) -> None:
        """Wait for these words, from the message on in which the last ones were found."""
        came, self._since = self._since, []
        self._words = words.encode()
        self._found.clear()
        for payload in came:
            self._look(payload)

    async def found(self, seconds: float = 60) -> None:
        """Return once they came. Raises `TimeoutError`."""
        await asyncio.wait_for(self._found.wait(), seconds)

    def _take(self, payload: bytes) -> None:
        self.messages += 1
        self._look(payload)

    def _look(self, payload: bytes) -> None:
        if self._words and self._words in payload:
            self._found.set()
        if self._found.is_set():
            self._since.append(payload)

    async def _frame(self) -> tuple[int, bytes]:
        first, second = await self.reader.readexactly(2)
        length = second & 127
        if length > 125:
            length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8))
        return first & 15, await self.reader.readexactly(length)

    def _answer(self, payload: bytes) -> None:
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self.writer.write(bytes([128 | PONG, 128 | len(payload)]) + mask + masked)


async def listen(port: int, path: str, session: str) -> Listener:
    """Connect as the person whose session it is. Raises ConnectionError if the server refuses."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    key = base64.b64encode(os.urandom(16)).decode()
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: http://127.0.0.1:{port}",
        f"Cookie: sessionid={session}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    answer = await reader.readuntil(b"\r\n\r\n")
    if b" 101 " not in answer.splitlines()[0]:
        raise ConnectionError(answer.decode())
    return Listener(reader, writer)
