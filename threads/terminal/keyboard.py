"""Lines that are typed, for an event loop. None says that there are no more."""

import asyncio
import contextlib
import threading
from typing import TextIO

type Lines = asyncio.Queue[str | None]


def typed(source: TextIO) -> Lines:
    """The lines of `source` as they come. Its thread is a daemon: nobody can be woken from reading a terminal."""
    lines: Lines = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            for line in source:
                loop.call_soon_threadsafe(lines.put_nowait, line.rstrip("\n"))
            loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True, name="keyboard").start()
    return lines
