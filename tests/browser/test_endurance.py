"""Much at once, and links that fail in every way: everything is there once, in order, and to the last character.

The page's long tasks are measured while it streams: 200 KB with `make stress`, a part of it otherwise.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.measuring import long_tasks, observe_tasks
from tests.browser.stage import ENVIRONMENT_OF_STAGE, LINES
from tests.browser.team import Team, equals_a_fresh_page, events, say, stands
from tests.services.link import Link
from tests.shares import IS_STRESS, share

pytestmark = pytest.mark.stress
ENVIRONMENT = ENVIRONMENT_OF_STAGE
only_whole = pytest.mark.skipif(not IS_STRESS, reason="takes a minute: part of make stress")

BOUND = 400.0
"""Milliseconds: no task holds up the page longer, on a machine that does much else."""

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
    observe_tasks(page)
    team.begin(page, "Hello")
    stands(page, "idle")


def took(page: Page, what: str) -> None:
    tasks = [round(task) for task in long_tasks(page)]
    print(f"{what}: {len(tasks)} long tasks, the longest {max(tasks, default=0)} ms")
    assert max(tasks, default=0) < BOUND


def test_long_answers_of_every_shape_stay_smooth(team: Team) -> None:
    page = team.page("alice")
    begun(team, page)
    characters = share(200_000, 20_000)
    for shape in list(LINES)[: share(len(LINES), 1)]:
        page.evaluate("window.longTasks.length = 0")
        say(page, f"stream {shape} {characters} 2")
        expect(page.locator("#live .words")).to_have_count(1)
        expect(page.locator("#live > *")).to_have_count(0, timeout=60_000)
        stands(page, "idle", 60)
        took(page, f"{characters} characters of {shape}")
    expect(page.locator("#things .words .rest")).to_have_count(share(len(LINES), 1))
    page.locator("#things .words .rest a").last.click()
    expect(page.locator("#things .words .whole")).to_have_count(1)
    page.reload()
    equals_a_fresh_page(page, team, "bob")


def test_a_result_of_megabytes_is_a_row_like_any_other(team: Team) -> None:
    page = team.page("alice")
    begun(team, page)
    characters = share(5_000_000, 500_000)
    say(page, f"produce {characters}")
    expect(page.locator("details.tool .state")).to_have_text("done", timeout=60_000)
    stands(page, "idle", 60)
    page.locator("details.tool summary").click()
    expect(page.locator("details.tool .rest")).to_contain_text(f"{characters - 6_000} more characters")
    took(page, f"a result of {characters} characters")
    equals_a_fresh_page(page, team, "bob")
    page.locator("details.tool .rest a").click()
    expect(page.locator("pre.whole")).to_be_visible(timeout=60_000)
    assert page.locator("pre.whole").evaluate("pre => pre.textContent.length") == characters


@only_whole
def test_a_thread_of_five_hundred_messages(team: Team) -> None:
    page = team.page("bob")
    observe_tasks(page)
    code = MANY.format(workspace=team.workspace, count=500)
    thread = team.served.manage("shell", "--no-imports", "-c", code).split()[-1]
    page.goto(f"{team.served.url}/threads/{thread}/")
    while page.locator("#earlier a").count():
        page.locator("#earlier a").click()
        page.wait_for_timeout(300)
    seen = events(page)
    assert len(page.locator(".message").all()) == 500
    assert seen == sorted(set(seen))
    took(page, "500 messages")


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


@only_whole
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
