"""The commands of a thread in a browser: its menu, a notice, a second try, archiving."""

from playwright.sync_api import expect

from tests.browser.team import Team, equals_a_fresh_page, say, stands


def test_a_thread_is_renamed_noticed_tried_again_and_archived(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "write a document about tea")
    expect(page.locator("#artifact")).to_contain_text("first draft", timeout=20000)
    stands(page, "idle")
    page.locator('[popovertarget="menu"]').click()
    page.locator("#menu-title").fill("Green tea")
    page.locator("#menu-title").press("Enter")
    expect(page.locator("#thread-title")).to_have_text("Green tea")
    page.keyboard.press("Escape")
    page.locator("[name=notice]").check()
    say(page, "between us")
    expect(page.locator("[name=notice]")).not_to_be_checked()
    expect(page.locator("#things")).to_contain_text("to people only")
    say(page, "Tell me something slowly")
    stands(page, "running")
    page.locator("form#stop button").first.click()
    stands(page, "idle")
    expect(page.locator(".retry form")).to_be_visible()
    page.locator(".retry button").click()
    stands(page, "running")
    expect(page.locator(".retry form")).to_have_count(0)
    stands(page, "idle", 60)
    equals_a_fresh_page(page, team, "bob")
    page.locator('[popovertarget="menu"]').click()
    page.get_by_role("button", name="Archive", exact=True).click()
    expect(page.locator("#thread-archived")).to_be_visible()
    expect(page.locator("#composer")).to_be_hidden()
    listed = page.locator("#listed a", has_text="Green tea")
    expect(listed).to_have_count(0)
    page.get_by_role("button", name="Bring it back").click()
    expect(listed).to_have_count(1)
    expect(page.locator("#composer")).to_be_visible()
