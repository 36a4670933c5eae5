"""A provider on 127.0.0.1 that speaks the OpenAI chat streaming protocol, and misbehaves as providers do.

Each request takes the next of its turns: `text("a ", "b")`, `calls(("note", {...}), ...)`, `busy(seconds)`,
`status(500)`, `broken("a ")`, `broken_call("note")`, `refusal("no")`, `filtered()`, or `silent()`, before its first
byte or after some words.
`requests` are the bodies that it was sent.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

type Turn = Callable[[asyncio.StreamWriter], Awaitable[None]]

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


class Provider:
    """Serves its turns one by one, and "done" once it has no more."""

    def __init__(self, *turns: Turn) -> None:
        self.turns = list(turns)
        self.requests: list[dict[str, Any]] = []
        self.url = ""
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.split("content-length: ")[1].split("\r\n")[0])
                self.requests.append(json.loads(await reader.readexactly(length)))
                turn = self.turns.pop(0) if self.turns else text("done")
                await turn(writer)
                if writer.is_closing():
                    return


@asynccontextmanager
async def providing(*turns: Turn) -> AsyncIterator[Provider]:
    """A provider for the duration of a block, at `url`."""
    provider = Provider(*turns)
    server = await asyncio.start_server(provider.serve, "127.0.0.1", 0)
    provider.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield provider
    finally:
        server.close()
        for writer in provider.writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def text(*words: str) -> Turn:
    """It says something, a chunk a word."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for word in words:
            await _send(writer, {"content": word})
        await _end(writer, "stop")

    return turn


def calls(*made: tuple[str, dict[str, Any]]) -> Turn:
    """It calls tools, all at once, their arguments in pieces."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for index, (tool, _) in enumerate(made):
            function = {"name": tool, "arguments": ""}
            await _send(
                writer, {"tool_calls": [{"index": index, "id": f"call_{index}", "function": function}]}
            )
        for index, (_, arguments) in enumerate(made):
            written = json.dumps(arguments)
            for piece in (written[:4], written[4:]):
                await _send(writer, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        await _end(writer, "tool_calls")

    return turn


def status(code: int, error: str = "it went wrong", headers: Sequence[str] = ()) -> Turn:
    """It answers with an error."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        body = json.dumps({"error": {"message": error, "type": "error", "code": None}})
        lines = [
            f"HTTP/1.1 {code} No",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            *headers,
        ]
        writer.write("\r\n".join([*lines, "", body]).encode())
        await writer.drain()

    return turn


def busy(seconds: float) -> Turn:
    """It has too much to do, and asks to wait."""
    return status(429, "slow down", [f"Retry-After: {seconds}"])


def broken(*words: str) -> Turn:
    """It breaks off in the middle."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for word in words:
            await _send(writer, {"content": word})
        writer.transport.abort()

    return turn


def broken_call(tool: str) -> Turn:
    """It breaks off in the middle of a call's arguments."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        function = {"name": tool, "arguments": '{"text": "a'}
        await _send(writer, {"tool_calls": [{"index": 0, "id": "call_0", "function": function}]})
        writer.transport.abort()

    return turn


def refusal(*words: str) -> Turn:
    """The model refuses, in the protocol's own way."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        for word in words:
            await _send(writer, {"refusal": word})
        await _end(writer, "stop")

    return turn


def filtered() -> Turn:
    """Its filter lets nothing through."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD)
        await _end(writer, "content_filter")

    return turn


def silent(provider_says: Sequence[str] = ()) -> Turn:
    """It takes the request and, after some words if there are any, says nothing any more."""

    async def turn(writer: asyncio.StreamWriter) -> None:
        if provider_says:
            writer.write(HEAD)
        for word in provider_says:
            await _send(writer, {"content": word})
        await writer.wait_closed()  # until the other side, or the end of the test, closes it

    return turn


async def _send(writer: asyncio.StreamWriter, delta: dict[str, Any], **more: Any) -> None:
    choice = {"index": 0, "delta": delta, "finish_reason": None, **more}
    await _chunk(writer, {**_about(), "choices": [choice]})


async def _end(writer: asyncio.StreamWriter, reason: str) -> None:
    await _send(writer, {}, finish_reason=reason)
    await _chunk(writer, {**_about(), "choices": [], "usage": USAGE})
    _write(writer, b"data: [DONE]\n\n")
    writer.write(b"0\r\n\r\n")
    await writer.drain()


async def _chunk(writer: asyncio.StreamWriter, data: dict[str, Any]) -> None:
    _write(writer, b"data: " + json.dumps(data).encode() + b"\n\n")
    await writer.drain()
    await asyncio.sleep(0)


def _write(writer: asyncio.StreamWriter, event: bytes) -> None:
    writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")


def _about() -> dict[str, Any]:
    return {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "local"}
