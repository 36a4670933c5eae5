"""Writing a message: keys, and the draft that is kept for each thread."""

from playwright.sync_api import expect

from tests.browser.team import Team, stands

COMPOSING = """(area) => area.dispatchEvent(
  new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }))"""


def test_enter_sends_unless_it_breaks_a_line_or_ends_a_composition(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    area = page.locator("#composer textarea")
    area.fill("One")
    area.press("Shift+Enter")
    area.press_sequentially("Two")
    area.evaluate(COMPOSING)
    expect(area).to_have_value("One\nTwo")
    expect(page.locator(".message")).to_have_count(1)
    area.press("Enter")
    expect(page.locator(".message").last).to_contain_text("Two")
    expect(area).to_have_value("")
    area.press("Enter")
    stands(page, "idle")
    expect(page.locator(".message")).to_have_count(2)


def test_each_thread_keeps_its_own_draft(team: Team) -> None:
    page = team.page("alice")
    first = team.begin(page, "Hello")
    page.locator("#composer textarea").fill("For the first")
    second = team.begin(page, "Hello again")
    expect(page.locator("#composer textarea")).to_have_value("")
    page.locator("#composer textarea").fill("For the second")
    page.goto(first)
    expect(page.locator("#composer textarea")).to_have_value("For the first")
    page.goto(second)
    expect(page.locator("#composer textarea")).to_have_value("For the second")
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    expect(page.locator("#composer textarea")).to_have_value("")


def test_a_starter_fills_the_composer_and_sends_nothing(team: Team) -> None:
    page = team.page("alice")
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    page.locator(".starter").first.click()
    expect(page.locator("#composer textarea")).to_have_value("Write a document about tea")
    expect(page.locator("#composer textarea")).to_be_focused()
