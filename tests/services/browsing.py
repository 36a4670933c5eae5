"""Chromium, driven by Playwright: each person is a context of their own, and nothing may break the page's rules.

A page error, a violation of the Content-Security-Policy, or a swap that went wrong fails the test in the end.
"""

from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright

from tests.services import needed

COMPLAINTS = (
    "Content Security Policy",
    "Content-Security-Policy",
    "htmx:swapError",
    "htmx:targetError",
    "htmx:oobErrorNoTarget",
)

# Each window would load two pages of Chromium's own, for the list below its address bar. The others are what matters
# here of the list that Playwright gives, which this one replaces.
WITHOUT = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PreconnectToSearch",
]
FLAGS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--disable-features={','.join(WITHOUT)}",
]


def launch(playwright: Playwright) -> Browser:
    return playwright.chromium.launch(executable_path=needed.chromium(), args=FLAGS)


class People:
    """The people of one test, each with a browser window of their own."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.complaints: list[str] = []

    def person(self, link: str, **options: Any) -> Page:
        """A page in a new context, after opening a link (of `Served.person`, say). Options are a context's."""
        page = self.stranger(**options)
        page.goto(link)
        return page

    def stranger(self, **options: Any) -> Page:
        """An empty page in a new context."""
        context = self.browser.new_context(**options)
        context.set_default_timeout(10_000)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("console", self.listen)
        return page

    def listen(self, message: ConsoleMessage) -> None:
        if any(words in message.text for words in COMPLAINTS):
            self.complaints.append(message.text)

    def leave(self) -> None:
        for context in list(self.browser.contexts):
            context.close()
