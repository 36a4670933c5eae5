"""How a page feels: how long its tasks keep the processor, and the requests that leave it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, Request

TEST = "blink.mojom.DevToolsSession"
"""How a test speaks to a page."""


@contextmanager
def working(page: Page) -> Iterator[list[float]]:
    """Afterwards: the milliseconds of processor time of each task of the browser's pages meanwhile, the longest first.

    Not by the clock: a machine that does much else would make every task a long one.
    """
    browser = page.context.browser
    assert browser is not None
    tasks: list[float] = []
    browser.start_tracing(categories=["toplevel"])
    try:
        yield tasks
    finally:
        tasks += _tasks(json.loads(browser.stop_tracing())["traceEvents"])


def _tasks(events: list[dict[str, Any]]) -> list[float]:
    """What a test asks of the page meanwhile is no work of the page: it may look at every element."""
    pages = {_thread(event) for event in events if event.get("args", {}).get("name") == "CrRendererMain"}
    asked = [
        event for event in events if event["name"] == "Receive mojo message" and TEST in str(event["args"])
    ]
    tasks = [
        _milliseconds(event) - sum(_milliseconds(question) for question in asked if _within(question, event))
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask" and _thread(event) in pages
    ]
    return sorted(tasks, reverse=True)


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _milliseconds(event: dict[str, Any]) -> float:
    """Of processor time; none where the trace begins or ends within it."""
    return float(event.get("tdur", 0)) / 1_000


def _within(event: dict[str, Any], task: dict[str, Any]) -> bool:
    return _thread(event) == _thread(task) and 0 <= event["ts"] - task["ts"] <= task.get("dur", 0)


@dataclass
class Leaving:
    """The requests of a page that go anywhere but to this server, or to its `/hit`."""

    url: str
    seen: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        """Look at every request from now on."""
        page.on("request", self._look)

    def _look(self, request: Request) -> None:
        if not request.url.startswith((self.url, "data:", "blob:")) or "/hit" in request.url:
            self.seen.append(request.url)
