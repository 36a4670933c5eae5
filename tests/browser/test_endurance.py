"""Much at once, and links that fail in every way: everything is there once, in order, and to the last character.

The page's longest tasks are measured while it streams and as it opens what is long: 200 KB with `make stress`, a part
of it otherwise.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from tests.browser.measuring import working
from tests.browser.stage import ENVIRONMENT_OF_STAGE, LINES
from tests.browser.team import Team, equals_a_fresh_page, events, say, stands
from tests.services.link import Link
from tests.shares import IS_STRESS, share

pytestmark = pytest.mark.stress
ENVIRONMENT = ENVIRONMENT_OF_STAGE
only_whole = pytest.mark.skipif(not IS_STRESS, reason="takes a minute: part of make stress")

STREAMING, OPENING = 150.0, 450.0
"""Milliseconds of processor time: no task takes longer while words come, or as something long is opened. Three times
and twice what it takes on a machine that does little else."""

MANY = """
from django.contrib.auth.models import User
from threads.turns import create_thread, post_notice
alice = User.objects.get(username="alice")
thread = create_thread(alice, {workspace!r}, "Many")
for number in range({count}):
    post_notice(alice, str(thread.pk), str(number), f"message {{number}}")
print(thread.pk)
"""


def begun(team: Team, page: Page) -> None:
    team.begin(page, "Hello")
    stands(page, "idle")


@contextmanager
def bounded(page: Page, what: str, bound: float) -> Iterator[None]:
    """What is done meanwhile keeps the page busy for no longer than `bound` at a time."""
    with working(page) as tasks:
        yield
    print(
        f"{what}: the longest tasks took {', '.join(f'{task:.0f}' for task in tasks[:3])} ms of processor time"
    )
    assert tasks
    assert tasks[0] < bound


def test_long_answers_of_every_shape_stay_smooth(team: Team) -> None:
    page = team.page("alice")
    begun(team, page)
    characters = share(200_000, 20_000)
    for shape in list(LINES)[: share(len(LINES), 2)]:
        with bounded(page, f"{characters} characters of {shape}", STREAMING):
            say(page, f"stream {shape} {characters} 2")
            expect(page.locator("#live .words")).to_have_count(1)
            expect(page.locator("#live > *")).to_have_count(0, timeout=60_000)
            stands(page, "idle", 60)
        answer = page.locator("#things .words").last
        with bounded(page, "all of it", OPENING):
            answer.locator(".rest a").click()
            expect(answer.locator(".whole")).to_be_visible()
            expect(answer.locator(".rest")).to_be_hidden()
        with bounded(page, "the page anew", OPENING):
            page.reload()
            stands(page, "idle")
    equals_a_fresh_page(page, team, "bob")


def test_a_result_of_megabytes_is_a_row_like_any_other(team: Team) -> None:
    page = team.page("alice")
    begun(team, page)
    characters = share(5_000_000, 500_000)
    with bounded(page, f"a result of {characters} characters", STREAMING):
        say(page, f"produce {characters}")
        expect(page.locator("details.tool .state")).to_have_text("done", timeout=60_000)
        stands(page, "idle", 60)
        page.locator("details.tool summary").click()
        expect(page.locator("details.tool .rest")).to_contain_text(f"{characters - 6_000} more characters")
    equals_a_fresh_page(page, team, "bob")
    with bounded(page, "all of it", OPENING):
        page.locator("details.tool .rest a").click()
        expect(page.locator("pre.whole")).to_be_visible(timeout=60_000)
    assert page.locator("pre.whole").evaluate("pre => pre.textContent.length") == characters


def test_a_thread_of_five_hundred_messages(team: Team) -> None:
    page, count = team.page("bob"), share(500, 200)
    code = MANY.format(workspace=team.workspace, count=count)
    thread = team.served.manage("shell", "--no-imports", "-c", code).split()[-1]
    with bounded(page, f"{count} messages", OPENING):
        page.goto(f"{team.served.url}/threads/{thread}/")
        while (had := page.locator(".message").count()) < count:
            page.locator("#scroller").evaluate("scroller => scroller.scrollTo(0, -1e9)")
            expect(page.locator(".message")).not_to_have_count(had)
    seen = events(page)
    assert page.locator(".message").count() == count
    assert seen == sorted(set(seen))


def test_a_laptop_sleeps_while_the_run_ends(team: Team) -> None:
    page = team.page("alice")
    begun(team, page)
    say(page, "stream prose 4000 3")
    expect(page.locator("#live .words")).to_have_count(1)
    machine = page.context.new_cdp_session(page)
    machine.send("Page.setWebLifecycleState", {"state": "frozen"})
    page.context.set_offline(True)
    bob = team.page("bob")
    bob.goto(page.url)
    stands(bob, "idle", 30)
    page.context.set_offline(False)
    machine.send("Page.setWebLifecycleState", {"state": "active"})
    stands(page, "idle")
    expect(page.locator("#connection")).to_be_hidden()
    expect(page.locator("#live > *")).to_have_count(0)
    equals_a_fresh_page(page, team, "bob")


def test_a_second_tab_and_a_kill_in_mid_stream(team: Team) -> None:
    page = team.page("alice")
    begun(team, page)
    tab = page.context.new_page()
    tab.goto(page.url)
    say(page, "stream list 6000 4")
    for window in (page, tab):
        expect(window.locator("#live .words")).to_contain_text("point 3")
    team.served.kill9()
    team.served.start()
    for window in (page, tab):
        expect(window.locator("#connection")).to_be_hidden(timeout=20_000)
        stands(window, "idle", 60)
        expect(window.locator("#things .words").last).to_contain_text("point 1")
        equals_a_fresh_page(window, team, "bob")


@only_whole
def test_a_link_that_is_half_dead_is_noticed_and_made_anew(team: Team) -> None:
    link = Link(team.served.port)
    served = team.served
    served.extra["ARTIFACTR_ORIGINS"] = f"{served.url},{link.url}"
    served.restart()
    page, bob = team.page("alice"), team.page("bob")
    begun(team, bob)
    key = next(
        str(cookie.get("value")) for cookie in page.context.cookies() if cookie.get("name") == "sessionid"
    )
    page.context.add_cookies([{"name": "sessionid", "value": key, "url": link.url}])
    page.goto(bob.url.replace(served.url, link.url))
    stands(page, "idle")
    link.die()
    say(bob, "stream prose 4000 2")
    stands(bob, "idle")
    expect(page.locator("#connection")).to_have_text("Reconnecting…", timeout=40_000)
    link.revive()
    expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
    expect(page.locator("#things .words")).to_have_count(2)
    bob.reload()
    assert events(page) == events(bob)
    link.close()
