"""Strangers, people who sign out, and texts that would like to be more than text."""

from playwright.sync_api import expect

from tests.browser.team import Team, say, stands


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
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("text=Sign out").click()
    expect(page.locator("#notice")).to_contain_text("You are signed out")
    page.locator("#composer textarea").fill("Still mine")
    page.locator("#composer textarea").press("Enter")
    expect(page.locator("#notice a")).to_have_text("Sign in")
    expect(page.locator("#composer textarea")).to_have_value("Still mine")


def test_texts_stay_texts(team: Team) -> None:
    page = team.page("alice")
    image = """<img src=x onerror="document.title='hit'"> [x](javascript:document.title='hit')"""
    script = """<script>document.title = 'hit'</script> <b id="composer" hx-get="/" hx-trigger="load">b</b>"""
    evil = f"""{image} {script} <div hx-swap-oob="true" id="things">"""
    team.begin(page, evil)
    stands(page, "idle")
    say(page, f"write a document about {image}")
    stands(page, "idle")
    page.reload()
    expect(page.locator("#transcript .message")).to_have_count(2)
    assert page.title() != "hit"
    assert page.locator(".prose img, .prose script, .prose [id], .prose [hx-get]").count() == 0
