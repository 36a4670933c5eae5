"""Reloads, dropped sockets and restarts in mid-stream: nothing is lost, nothing comes twice."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.team import Team, ended, equals_a_fresh_page, events, offline, say, shown, stands
from tests.settings import DATABASE


def test_a_reload_in_mid_stream_shows_the_run_so_far_and_goes_on(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Tell me slowly")
    expect(page.locator("#live .words")).to_contain_text("demo")
    page.reload()
    expect(page.locator("#live .words")).to_contain_text("demo")
    stands(page, "idle", 40)
    expect(page.locator("#live > *")).to_have_count(0)
    expect(page.locator("#transcript .words")).to_have_count(1)
    equals_a_fresh_page(page, team, "bob")


def test_a_dropped_socket_in_mid_stream_comes_back_by_itself(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "Tell me slowly"))
    expect(alice.locator("#live .words")).to_contain_text("demo")
    with offline(alice):
        expect(alice.locator("#connection")).to_have_text("Reconnecting…")
        say(bob, "While Alice is away")
        expect(bob.locator("#transcript")).to_contain_text("While Alice is away")
    expect(alice.locator("#transcript")).to_contain_text("While Alice is away")
    expect(alice.locator("#connection")).to_be_hidden()
    stands(alice, "idle", 60)
    stands(bob, "idle", 60)
    assert shown(alice) == shown(bob)
    equals_a_fresh_page(alice, team, "bob")


def test_a_restart_of_the_server_costs_nothing(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Tell me slowly")
    expect(page.locator("#live .words")).to_contain_text("demo")
    team.served.kill9()
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.locator("#composer textarea").fill("Half a thought")
    team.served.restart()
    expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
    stands(page, "idle", 60)
    expect(page.locator("#composer textarea")).to_have_value("Half a thought")
    expect(page.locator(".remark").last).to_contain_text("Done")
    equals_a_fresh_page(page, team, "bob")


def test_what_cannot_be_sent_is_kept_and_said(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    area = page.locator("#composer textarea")
    with offline(page):
        area.fill("Into the void")
        area.press("Enter")
        expect(page.locator("#composer-note")).to_contain_text("Not sent")
        expect(area).to_have_value("Into the void")
    page.reload()
    expect(area).to_have_value("Into the void")
    area.press("Enter")
    expect(page.locator(".message")).to_have_count(2)
    expect(area).to_have_value("")
    page.reload()
    expect(area).to_have_value("")


@pytest.mark.skipif(DATABASE != "sqlite", reason="a file is taken away")
def test_what_finds_the_database_away_is_kept_and_comes_back(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    area = page.locator("#composer textarea")
    with database_away(team):
        area.fill("Into the void")
        area.press("Enter")
        expect(page.locator("#composer-note")).to_contain_text("cannot reach its data")
        expect(area).to_have_value("Into the void")
    area.press("Enter")
    expect(page.locator(".message")).to_have_count(2)
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    area.fill("Another thread")
    with database_away(team):
        area.press("Enter")
        expect(page.locator("h1")).to_have_text("One moment, please")
        expect(page.locator("#unsent")).to_have_value("Another thread")
    page.locator("text=Back to where you were").click()
    expect(area).to_have_value("Another thread")
    area.press("Enter")
    page.wait_for_url("**/threads/*-*/")
    expect(page.locator(".message")).to_have_count(1)


@contextmanager
def database_away(team: Team) -> Iterator[None]:
    """A table is away: for SQLite that is an OperationalError like any other."""
    path = unquote(team.served.database_url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE django_session RENAME TO away")
        try:
            yield
        finally:
            connection.execute("ALTER TABLE away RENAME TO django_session")


def test_a_double_enter_posts_once_and_keeps_what_came_after(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    area = page.locator("#composer textarea")
    area.fill("Once")
    area.press("Enter")
    area.press("Enter")
    area.press_sequentially("More")
    expect(page.locator(".message", has_text="Once")).to_have_count(1)
    expect(area).to_have_value("More")
    stands(page, "idle")
    assert events(page) == sorted(set(events(page)))
    expect(page.locator(".message")).to_have_count(2)


def test_what_one_types_and_unfolds_survives_what_comes(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "write a document about tea"))
    stands(bob, "idle")
    bob.locator("details.tool > summary").click()
    bob.locator("#panel-tools >> text=Edit").click()
    bob.locator("#edit-text").fill("My own words")
    bob.locator("#composer textarea").fill("A draft of mine")
    say(alice, "change green to black")
    ended(bob, 2)
    expect(bob.locator("details.tool[open]")).to_have_count(1)
    expect(bob.locator("#edit-text")).to_have_value("My own words")
    expect(bob.locator("#composer textarea")).to_have_value("A draft of mine")
    expect(bob.locator("#composer textarea")).to_be_focused()
    bob.get_by_role("button", name="Save", exact=True).click()
    expect(bob.locator(".merge")).to_contain_text("Agent saved version 2 meanwhile")
    bob.locator(".merge summary", has_text="What changed meanwhile").click()
    expect(bob.locator(".merge ins").first).to_have_text("black")
    expect(bob.locator("#edit-text")).to_have_value("My own words")
    bob.locator("#edit-merged-text").fill("My own words")
    bob.get_by_role("button", name="Save what I settled").click()
    expect(alice.locator("#artifact")).to_contain_text("My own words")


class Links:
    """The sockets that a page opens, one after the other. What is `cut` stays open, and nothing comes through."""

    def __init__(self, page: Page) -> None:
        self.opened: list[WebSocketRoute] = []
        self._cut: list[WebSocketRoute] = []
        page.route_web_socket("**/ws/threads/**", self._open)

    def _open(self, link: WebSocketRoute) -> None:
        self.opened.append(link)
        server = link.connect_to_server()
        server.on_message(lambda words: None if link in self._cut else link.send(words))

    def cut(self) -> None:
        """The newest goes half dead."""
        self._cut.append(self.opened[-1])


def test_a_page_that_wakes_connects_at_once_and_one_whose_timers_are_late_does_not(team: Team) -> None:
    """A browser runs the timers of a hidden page once a minute: that is no sleep, as long as the link is heard."""
    page = team.page("alice")
    links = Links(page)
    team.begin(page, "Hello")
    stands(page, "idle")
    page.clock.install()
    page.reload()
    expect(page.locator("#connection")).to_be_hidden()
    had = len(links.opened)
    for minute in (1, 2):
        page.clock.set_system_time(page.evaluate("Date.now()") / 1_000 + 60)
        links.opened[-1].send(f'<i id="elsewhere" data-seq="{minute}" hx-swap-oob="outerHTML" hidden></i>')
        expect(page.locator("#elsewhere")).to_have_attribute("data-seq", str(minute))
        page.clock.fast_forward(2_000)
    assert len(links.opened) == had
    page.clock.fast_forward(60_000)
    say(page, "Awake")
    expect(page.locator(".message").last).to_contain_text("Awake")
    assert len(links.opened) == had + 1


def test_a_link_that_went_half_dead_is_noticed_by_its_silence(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    links = Links(alice)
    bob.goto(team.begin(alice, "Hello"))
    stands(alice, "idle")
    alice.clock.install()
    alice.reload()
    expect(alice.locator("#here")).to_contain_text("bob")
    links.cut()
    say(bob, "Lost on the way")
    ended(bob, 2)
    expect(alice.locator(".message")).to_have_count(1)
    alice.clock.run_for(30_000)
    expect(alice.locator(".message").last).to_contain_text("Lost on the way")
    expect(alice.locator("#connection")).to_be_hidden()
    equals_a_fresh_page(alice, team, "bob")
