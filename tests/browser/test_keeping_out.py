"""Strangers, people who sign out, and texts that would like to be more than text."""

from playwright.sync_api import Page, expect

from tests.browser.team import Team, ended, say, stands


def test_a_stranger_sees_nothing(team: Team) -> None:
    alice, charlie = team.page("alice"), team.page("charlie")
    address = team.begin(alice, "A secret of ours")
    answer = charlie.goto(address)
    assert answer is not None
    assert answer.status == 404
    expect(charlie.locator("body")).not_to_contain_text("secret")


def test_signing_out_in_one_window_closes_the_others(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    other, shelf = page.context.new_page(), page.context.new_page()
    other.goto(page.url)
    shelf.goto(f"{team.served.url}/workspaces/{team.workspace}/")
    other.locator("text=Sign out").click()
    expect(page.locator("#notice")).to_contain_text("You are signed out. What you wrote is still here.")
    expect(shelf.locator("#connection")).to_have_text("You are signed out. Sign in")
    page.locator("#composer textarea").fill("Still mine")
    page.locator("#composer textarea").press("Enter")
    expect(page.locator("#notice a")).to_have_text("Sign in")
    expect(page.locator("#composer textarea")).to_have_value("Still mine")


PASSWORD = "a long enough password"
WITH_PASSWORD = f"""
from django.contrib.auth.models import User
bob = User.objects.get(username="bob")
bob.set_password({PASSWORD!r})
bob.save()
"""


def test_who_signs_in_again_is_back_with_what_they_wrote(team: Team) -> None:
    page = team.page("bob")
    address = team.begin(page, "Hello")
    stands(page, "idle")
    team.served.manage("shell", "--no-imports", "-c", WITH_PASSWORD)
    page.locator("#composer textarea").fill("Half a thought")
    page.locator("#composer textarea").press("Enter")
    page.get_by_role("link", name="Sign in").click()
    signed_in(page, address, "Half a thought")
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    page.locator("#composer textarea").fill("A new beginning")
    page.context.clear_cookies(name="sessionid")
    page.locator("#composer textarea").press("Enter")
    expect(page.locator("#unsent")).to_have_value("A new beginning")
    page.get_by_role("link", name="Sign in").click()
    signed_in(page, f"{team.served.url}/threads/?workspace={team.workspace}", "A new beginning")


def signed_in(page: Page, address: str, words: str) -> None:
    page.get_by_label("Name").fill("bob")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(address)
    expect(page.locator("#composer textarea")).to_have_value(words)


def test_texts_stay_texts(team: Team) -> None:
    page = team.page("alice")
    image = """<img src=x onerror="document.title='hit'"> [x](javascript:document.title='hit')"""
    script = """<script>document.title = 'hit'</script> <b id="composer" hx-get="/" hx-trigger="load">b</b>"""
    evil = f"""{image} {script} <div hx-swap-oob="true" id="things">"""
    team.begin(page, evil)
    stands(page, "idle")
    say(page, f"write a document about {image}")
    ended(page, 2)
    page.reload()
    expect(page.locator("#transcript .message")).to_have_count(2)
    assert page.title() != "hit"
    assert page.locator(".prose img, .prose script, .prose [id], .prose [hx-get]").count() == 0
