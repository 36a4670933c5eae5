"""How a page feels: how long its tasks keep the processor, and the requests that leave it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, Request


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
    pages = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks = [
        event.get("tdur", 0) / 1_000  # none where the trace begins or ends within it
        for event in events
        if event["name"] == "ThreadControllerImpl::RunTask" and (event["pid"], event["tid"]) in pages
    ]
    return sorted(tasks, reverse=True)


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
