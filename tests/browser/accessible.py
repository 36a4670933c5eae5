"""What axe finds on a page as it stands; and in dark, where nothing differs but the colours, what it finds of these."""

from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES: dict[Literal["light", "dark"], Any] = {
    "light": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
    "dark": {"type": "rule", "values": ["color-contrast"]},
}


def violations(page: Page) -> list[str]:
    """A line for each element that breaks a rule. Playwright's evaluation is not bound by the page's own policy."""
    found = []
    for scheme, rules in RULES.items():
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        results = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
        found += [
            f"{scheme}: {violation['id']}: {node['target']}: {node['failureSummary']}"
            for violation in results.response["violations"]
            for node in violation["nodes"]
            if not (violation["id"] == "heading-order" and is_of_a_writer(page, node["target"][0]))
        ]
    return found


def is_of_a_writer(page: Page, element: str) -> bool:
    """Whether somebody wrote it, whose headings are their own."""
    return bool(
        page.evaluate("element => document.querySelector(element)?.closest('.prose') !== null", element)
    )
