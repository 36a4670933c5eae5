"""An open page without a browser: its socket, which connects again whenever it breaks, and what came over it."""

import asyncio
import base64
import contextlib
import html
import os
import re
import struct
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.processes.visitor import Visitor

EVENT = re.compile(r'id="event-(\d+)" data-seq')
CURSOR = re.compile(r'id="cursor" data-seq="(\d+)"')
OPEN = re.compile(r'<div class="open" id="part-([\w-]+)-open"[^>]*>(.*?)</div>', re.DOTALL)
TAGS = re.compile(r"<[^>]+>")
FIN, TEXT, CLOSE, PING, PONG = 0x80, 1, 8, 9, 10
AGAIN_SECONDS = 0.25
RELOAD = 4409


class Page:
    """One page. `seqs` are the events it received, `texts` what was live, as it grew, `heard` when each came."""

    def __init__(self, visitor: Visitor, path: str, after: int) -> None:
        self.visitor = visitor
        self.path = path
        self.first = self.after = after
        self.seqs: list[int] = []
        self.texts: list[str] = []
        self.heard: list[tuple[float, str]] = []
        self.connections = self.reloads = 0
        self.code: int | None = None
        self._news = asyncio.Event()

    @property
    def html(self) -> str:
        return "".join(text for _, text in self.heard)

    async def until(self, words: str, seconds: float = 30) -> float:
        """Wait for these words; when they came."""
        async with asyncio.timeout(seconds):
            while not (came := [at for at, text in self.heard if words in text]):
                self._news.clear()
                await self._news.wait()
        return came[0]

    async def stay(self) -> None:
        """Receive until cancelled, or told to go: what the page's own script does."""
        while self.code is None:
            with contextlib.suppress(OSError, EOFError, asyncio.IncompleteReadError, TimeoutError):
                await self._receive()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _receive(self) -> None:
        host, _, port = self.visitor.url.removeprefix("http://").partition(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=2**22)
        try:
            writer.write(self._handshake(host, port))
            answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)
            if b" 101 " not in answer.split(b"\r\n")[0]:
                return
            self.connections += 1
            while True:
                kind, payload = await asyncio.wait_for(_frame(reader), 25)
                if kind == TEXT:
                    self._take(payload.decode())
                elif kind == PING:
                    writer.write(_masked(PONG, payload))
                elif kind == CLOSE:
                    code = int.from_bytes(payload[:2])
                    self.code = code if 4400 < code < RELOAD else None
                    if code == RELOAD:
                        await asyncio.to_thread(self._reload)
                    return
        finally:
            writer.close()

    def _handshake(self, host: str, port: str) -> bytes:
        lines = [
            f"GET {self.path}?after={self.after} HTTP/1.1",
            f"Host: {host}:{port}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Origin: {self.visitor.url}",
            f"Cookie: {self.visitor.cookies}",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            "Sec-WebSocket-Version: 13",
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def _reload(self) -> None:
        """More happened while it was away than a page shows: it begins anew."""
        with contextlib.suppress(OSError):  # the server is away, or cannot say it now
            found = CURSOR.search(self.visitor.get(self.path.removeprefix("/ws")))
            assert found is not None
            self.first = self.after = int(found[1])
            self.seqs = []
            self.reloads += 1

    def _take(self, text: str) -> None:
        self.seqs += [int(seq) for seq in EVENT.findall(text)]
        self.texts += [words(found) for _, found in OPEN.findall(text)]
        if places := CURSOR.findall(text):
            self.after = int(places[-1])
        self.heard.append((time.time(), text))
        self._news.set()


@asynccontextmanager
async def opened(visitor: Visitor, path: str, *, count: int = 1) -> AsyncIterator[list[Page]]:
    """Pages that somebody opens, and leaves at the end of the block."""
    shown = await asyncio.to_thread(visitor.get, path)
    found = CURSOR.search(shown)
    assert found is not None
    pages = [Page(visitor, f"/ws{path}", int(found[1])) for _ in range(count)]
    tasks = [asyncio.create_task(page.stay()) for page in pages]
    try:
        async with asyncio.timeout(30):
            while not all(page.heard for page in pages):
                await asyncio.sleep(0.01)
        yield pages
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def words(fragment: str) -> str:
    """The text of some HTML."""
    return html.unescape(TAGS.sub("", fragment)).strip()


async def _frame(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    first, second = await reader.readexactly(2)
    length = second & 0x7F
    if length == 126:
        (length,) = struct.unpack(">H", await reader.readexactly(2))
    elif length == 127:
        (length,) = struct.unpack(">Q", await reader.readexactly(8))
    return first & 0x0F, await reader.readexactly(length)


def _masked(kind: int, payload: bytes) -> bytes:
    mask = os.urandom(4)
    body = bytes(byte ^ mask[number % 4] for number, byte in enumerate(payload))
    return bytes([FIN | kind, 0x80 | len(payload)]) + mask + body
