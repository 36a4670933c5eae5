"""What axe finds on a page as it stands, in light and in dark."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def violations(page: Page) -> list[str]:
    """A line for each element that breaks a rule. Playwright's evaluation is not bound by the page's own policy."""
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        results = Axe().run(page, options={"runOnly": RULES, "resultTypes": ["violations"]})
        found += [
            f"{scheme}: {violation['id']}: {node['target']}: {node['failureSummary']}"
            for violation in results.response["violations"]
            for node in violation["nodes"]
        ]
    return found
