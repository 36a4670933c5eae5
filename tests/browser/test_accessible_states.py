"""No rule that axe knows is broken while a run thinks, waits or fails, on a phone, or where one may not."""

from playwright.sync_api import Page, expect

from tests.browser.accessible import violations
from tests.browser.stage import ENVIRONMENT_OF_STAGE as ENVIRONMENT
from tests.browser.team import Team, say, stands

__all__ = ["ENVIRONMENT"]

VIEWER = """
from django.contrib.auth.models import User
from artifacts.members import add_member
add_member(User.objects.get(username="alice"), {workspace!r}, User.objects.get(username="charlie"), "viewer")
"""
PHONE = {"viewport": {"width": 320, "height": 640}, "has_touch": True}


def sound(page: Page) -> None:
    """Nothing is broken here."""
    assert violations(page) == []


def unfold(page: Page) -> None:
    """Unfold all of the transcript."""
    page.evaluate("for (const one of document.querySelectorAll('#things details')) one.open = true")


def test_thoughts_results_failures_and_what_is_for_people_only(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "think about it")
    for words in ("produce 30000", "fail"):
        stands(page, "idle")
        say(page, words)
    expect(page.locator(".failed .retry button")).to_be_visible()
    page.locator("[name=notice]").check()
    say(page, "Between us")
    expect(page.locator("#things")).to_contain_text("to people only")
    unfold(page)
    sound(page)
    page.locator("[popovertarget=menu]").click()
    page.locator("#menu-rest").get_by_role("button", name="Archive", exact=True).click()
    expect(page.locator("#thread-archived")).to_be_visible()
    sound(page)
    page.get_by_role("link", name="Archived threads").click()
    sound(page)


def test_a_message_that_waits_and_a_phone(team: Team) -> None:
    page = team.page("bob", **PHONE)
    team.begin(page, "stream prose 4000 60")
    expect(page.locator("#live .words")).to_be_visible()
    say(page, "And another word")
    expect(page.locator(".message .slot button")).to_be_visible()
    sound(page)
    page.locator("form#stop button").nth(1).click()
    stands(page, "idle")
    page.locator(".opens-sidebar").click()
    expect(page.locator("#listed a").first).to_be_visible()
    sound(page)
    page.locator(".closes-sidebar").click()
    page.locator(".bar > .opens-panel").first.click()
    expect(page.locator("#panel")).to_be_visible()
    sound(page)


def test_where_one_may_not_or_is_refused(team: Team) -> None:
    team.served.manage("shell", "--no-imports", "-c", VIEWER.format(workspace=team.workspace))
    alice, page = team.page("alice"), team.page("charlie")
    page.goto(team.begin(alice, "think"))
    expect(page.locator(".dock")).to_contain_text("An owner can make you an editor")
    sound(page)
    place = f"{team.served.url}/workspaces/{team.workspace}/"
    for path in (
        f"{place}artifacts/?kind=document",
        f"{place}members/",
        f"{team.served.url}/password/new/a/b/",
    ):
        page.goto(path)
        sound(page)
    alice.goto(f"{place}artifacts/?kind=document")
    sound(alice)
    alice.goto(f"{team.served.url}/admin/threads/request/")
    expect(alice.locator(".notice")).to_contain_text("Your account has no access to that page")
    sound(alice)


def test_a_password_that_is_refused(team: Team) -> None:
    set_password = 'from django.contrib.auth.models import User; u = User.objects.get(username="root"); '
    team.served.manage(
        "shell", "--no-imports", "-c", set_password + 'u.set_password("battery staple"); u.save()'
    )
    page = team.people.stranger()
    page.goto(f"{team.served.url}/sign-in/")
    page.get_by_label("Name").fill("root")
    page.get_by_label("Password").fill("battery staple")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "sign-in" not in url)
    page.goto(f"{team.served.url}/password/")
    page.get_by_label("Old password").fill("wrong")
    page.get_by_label("New password", exact=True).fill("1234")
    page.get_by_label("New password again").fill("12345")
    page.get_by_role("button", name="Change it").click()
    expect(page.locator(".error").first).to_be_visible()
    sound(page)
