"""A server whose agent is that of `stage.py`, somebody in a browser, and what is checked of it from outside."""

import json
import time
import uuid
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.processes.visitor import Visitor
from tests.services.served import Served

SETTINGS = "tests.processes.settings"


class Staged:
    """One server, and Alice, who writes in its threads."""

    def __init__(self, served: Served, appended: Path) -> None:
        self.served = served
        self.appended = appended

    @cached_property
    def alice(self) -> Visitor:
        return Visitor(self.served.person("alice"))

    def threads(self, count: int) -> list[str]:
        """New threads, each with a message; their addresses."""
        return [self.alice.post("/threads/", content=f"begin {number}") for number in range(count)]

    def say(self, thread: str, text: str) -> None:
        """A message, sent until it is taken."""
        self.alice.post_until_taken(f"{thread}messages/", content=text, message_id=uuid.uuid4().hex)

    def lines(self) -> int:
        """How often a tool has begun or ended."""
        return self.appended.read_text().count("\n")

    def wait_for_lines(self, count: int, seconds: float = 60) -> bool:
        """Whether tools have begun or ended so often within `seconds`; returns as soon as they have."""
        deadline = time.monotonic() + seconds
        while self.lines() < count:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.005)
        return True

    def wait_until_idle(self, threads: Sequence[str], seconds: float = 60) -> None:
        """Until the pages of all of them say that nothing goes on there and nothing waits to."""
        deadline = time.monotonic() + seconds
        while not all(self.is_idle(thread) for thread in threads):
            assert time.monotonic() < deadline, "a run does not end"
            time.sleep(0.02)

    def is_idle(self, thread: str) -> bool:
        page = self.alice.get(thread)
        return 'id="run-status" data-status="idle"' in page and 'id="stop-waiting" data-count="0"' in page

    def aftermath(self, seconds: float = 60) -> dict[str, Any]:
        """Wait until nothing is left to do, check every promise, and count."""
        call = f"print_checked({str(self.appended)!r}, {seconds})"
        told = self.served.manage(
            "shell", "--no-imports", "-c", f"from tests.processes import aftermath; aftermath.{call}"
        )
        counts: dict[str, Any] = json.loads(told)
        return counts
