"""On paper stands all that was said and written, unfolded, to its end; and nothing that is to be pressed."""

from playwright.sync_api import Page, expect

from tests.browser.artifacts import tea
from tests.browser.team import Team, say, stands

HIDDEN = "#sidebar, #panel, .dock, #run-status, .bar button, .bar form, .slot, .copies, #panel-tools, #presence, .skip"
CUT = """() => [...document.querySelectorAll("body *")].filter((element) => {
  const { overflowX, overflowY } = getComputedStyle(element);
  const cut = (overflow, inside, outside) => overflow !== "visible" && outside > 1 && inside > outside + 1;
  return element.checkVisibility() && (cut(overflowY, element.scrollHeight, element.clientHeight)
    || cut(overflowX, element.scrollWidth, element.clientWidth));
}).map((element) => element.outerHTML.slice(0, 200))"""
SEEN = "element => element.checkVisibility({ contentVisibilityAuto: true }) && element.offsetHeight > 0"


def print_out(page: Page) -> None:
    """Lay the page out as on paper of a narrow sheet."""
    page.set_viewport_size({"width": 720, "height": 1000})
    page.emulate_media(media="print")


def is_seen(page: Page, selector: str) -> bool:
    return bool(page.locator(selector).first.evaluate(SEEN))


def test_a_thread_on_paper(team: Team) -> None:
    page = team.page("root", color_scheme="dark")
    team.begin(page, "write a document about tea")
    stands(page, "idle")
    page.locator("#panel-tools >> text=Edit").click()
    page.locator("#edit-text").fill("Mine.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#artifact")).to_have_attribute("data-version", "2")
    say(page, "publish")
    stands(page, "paused")
    folded = ("details.tool .arguments", "details.tool .verbatim", "details.told li")
    assert [is_seen(page, part) for part in folded] == [False, False, False]
    print_out(page)
    assert [is_seen(page, part) for part in folded] == [True, True, True]
    assert is_seen(page, "h1")
    for part in (".message", ".words .prose", ".request .arguments", ".remark"):
        assert is_seen(page, part), part
    assert page.locator(HIDDEN).count() > 8
    assert page.locator(HIDDEN).evaluate_all("all => all.filter(one => one.checkVisibility()).length") == 0
    assert page.evaluate(CUT) == []
    paper = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    assert paper[0] > 1000
    assert paper[1] <= 720
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"


def test_a_document_on_paper(team: Team) -> None:
    page = team.page("alice")
    prose, code = "A long line without an end. " * 40, "x" * 400
    page.goto(tea(team, f"# Kinds\n\n{prose}\n\n```\n{code}\n```\n"))
    print_out(page)
    assert is_seen(page, "h1")
    assert is_seen(page, "#artifact .prose pre")
    assert page.locator(HIDDEN).evaluate_all("all => all.filter(one => one.checkVisibility()).length") == 0
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
