"""How a page feels: its long tasks, and the requests that leave it."""

from dataclasses import dataclass, field

from playwright.sync_api import Page, Request

OBSERVE = """
window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((task) => task.duration)))
  .observe({ type: "longtask", buffered: true });
"""


def observe_tasks(page: Page) -> None:
    """From the next page on, remember the tasks that held up the page, in milliseconds."""
    page.add_init_script(OBSERVE)


def long_tasks(page: Page) -> list[float]:
    """Those so far."""
    return list(page.evaluate("window.longTasks"))


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
