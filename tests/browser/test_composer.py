"""Writing a message: keys, and the draft that is kept for each thread."""

from playwright.sync_api import Page, expect

from tests.browser.team import Team, equals_a_fresh_page, held, stands


class InputMethod:
    """What people compose words with for which there is no key: the browser's own, driven as an IME drives it."""

    def __init__(self, page: Page) -> None:
        self._browser = page.context.new_cdp_session(page)

    def compose(self, words: str) -> None:
        """Show words that are not decided upon yet."""
        end = {"selectionStart": len(words), "selectionEnd": len(words)}
        self._browser.send("Input.imeSetComposition", {"text": words, **end})

    def press_enter(self) -> None:
        """The key that decides; the page hears of it, too."""
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
        self._browser.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **enter})
        self._browser.send("Input.dispatchKeyEvent", {"type": "keyUp", **enter})

    def decide(self, words: str) -> None:
        """Put in what was decided upon."""
        self._browser.send("Input.insertText", {"text": words})


def test_enter_ends_a_composition_and_sends_nothing_while_words_stream(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Tell me slowly")
    expect(page.locator("#live .words")).to_contain_text("demo")
    area, hand = page.locator("#composer textarea"), InputMethod(page)
    area.focus()
    said = page.locator("#live .words").inner_text()
    hand.compose("\u306b\u307b")
    expect(page.locator("#live .words")).not_to_have_text(said)
    hand.compose("\u306b\u307b\u3093")
    hand.press_enter()
    expect(area).to_have_value("\u306b\u307b\u3093")
    hand.decide("\u65e5\u672c")
    expect(area).to_have_value("\u65e5\u672c")
    expect(page.locator(".message")).to_have_count(1)
    area.press("Enter")
    expect(page.locator(".message").last).to_contain_text("\u65e5\u672c")
    expect(area).to_have_value("")


def test_what_is_composed_as_a_message_is_taken_is_not_broken_off(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    sent = held(page, "**/messages/")
    area, hand = page.locator("#composer textarea"), InputMethod(page)
    area.fill("Once")
    with page.expect_request("**/messages/"):
        area.press("Enter")
    hand.compose("\u306b\u307b")
    expect(area).to_have_value("Once\u306b\u307b")
    sent.pop().continue_()
    expect(page.locator(".message").last).to_contain_text("Once")
    hand.compose("\u306b\u307b\u3093")
    hand.decide("\u65e5\u672c")
    expect(area).to_have_value("\u65e5\u672c")
    with page.expect_request("**/messages/"):
        area.press("Enter")
    sent.pop().continue_()
    expect(page.locator(".message")).to_have_count(3)
    stands(page, "idle")
    equals_a_fresh_page(page, team, "bob")


def test_enter_sends_unless_it_breaks_a_line(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    area = page.locator("#composer textarea")
    area.fill("One")
    area.press("Shift+Enter")
    area.press_sequentially("Two")
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
