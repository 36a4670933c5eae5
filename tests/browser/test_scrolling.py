"""A long thread: it opens at its end, stays where one reads, and brings what is earlier as one goes up."""

from playwright.sync_api import Page, expect

from tests.browser.team import Team, events, say, stands

LONG = """
from django.conf import settings
from django.contrib.auth.models import User
from threads.turns import create_thread, post, stop
settings.ARTIFACTR_PERSON_MESSAGES_A_MINUTE = None
alice = User.objects.get(username="alice")
thread = create_thread(alice, {workspace!r}, "A long one")
for number in range(200):
    post(alice, str(thread.pk), str(number), f"message {{number}}")
print(thread.pk)
"""


def long_thread(team: Team) -> str:
    code = LONG.format(workspace=team.workspace)
    return f"{team.served.url}/threads/{team.served.manage('shell', '--no-imports', '-c', code).splitlines()[-1]}/"


def top_of(page: Page, words: str) -> float:
    box = page.locator(".message", has_text=words).last.bounding_box()
    assert box is not None
    return box["y"]


def test_a_long_thread(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    address = long_thread(team)
    for page in (alice, bob):
        page.goto(address)
    stands(alice, "idle", 60)
    expect(alice.locator(".remark").last).to_be_in_viewport()
    assert alice.evaluate("document.getElementById('scroller').scrollTop") == 0

    it_holds_its_place_and_says_what_is_new(alice, bob)
    earlier_events_come_as_one_scrolls_up(alice)


def it_holds_its_place_and_says_what_is_new(alice: Page, bob: Page) -> None:
    alice.locator("#scroller").hover()
    alice.mouse.wheel(0, -800)
    expect(alice.locator(".remark").last).not_to_be_in_viewport()
    marked = alice.locator(".message:visible").nth(-6)
    words = marked.inner_text().splitlines()[-1]
    before = top_of(alice, words)
    say(bob, "Something new")
    expect(alice.locator(".message", has_text="Something new")).to_have_count(1)
    stands(alice, "idle")
    assert abs(top_of(alice, words) - before) < 2
    alice.locator("#new").click()
    expect(alice.locator(".remark").last).to_be_in_viewport()
    expect(alice.locator("#new")).to_be_hidden()


def earlier_events_come_as_one_scrolls_up(alice: Page) -> None:
    first = events(alice)[0]
    alice.locator("#scroller").hover()
    for _ in range(60):
        alice.mouse.wheel(0, -3000)
        alice.wait_for_timeout(60)
        if not alice.locator("#earlier").count():
            break
    seen = events(alice)
    assert seen[0] < first
    assert seen == list(range(seen[0], seen[-1] + 1))
    expect(alice.locator(".message", has_text="message 0")).to_be_visible()
