"""What hands do: double clicks, back after sending, long pastes, and Esc."""

import itertools
import time

from playwright.sync_api import expect

from tests.browser.team import Team, ended, equals_a_fresh_page, events, held, paste, say, stands

TWICE = """() => {
  const press = () => new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
  for (const _ of [1, 2]) document.body.dispatchEvent(press());
}"""
# What is put into the region that tells how the run stands.
TELLS = """() => {
  window.told = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) window.told.push(node.textContent);
  }).observe(document.querySelector("[role=status]:has(> #run-status)"), { childList: true });
}"""
SECOND = 1.0
ON_A_BUSY_MACHINE = 2.0


def test_stop_stops_within_a_second_and_keeps_the_text(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "Tell me slowly"))
    for page, stop in ((alice, "Escape"), (bob, "click")):
        expect(page.locator("#live .words")).to_contain_text("demo")
        page.reload()
        expect(page.locator("#live .words")).to_contain_text("demo")
        began = time.monotonic()
        page.keyboard.press("Escape") if stop == "Escape" else page.locator("form#stop button").first.click()
        stands(page, "idle", 5)
        assert time.monotonic() - began < SECOND * ON_A_BUSY_MACHINE
        expect(page.locator("#things .words").last).to_contain_text("demo")
        expect(page.locator(".remark").last).to_contain_text("Stopped")
        expect(page.locator("#said")).to_contain_text("Agent stopped")
        if stop == "Escape":
            say(alice, "Tell me slowly again")
    equals_a_fresh_page(alice, team, "bob")


def test_a_double_click_on_send_and_going_back_send_once(team: Team) -> None:
    page = team.page("alice")
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    page.locator("#composer textarea").fill("The first one")
    page.locator("#composer .send").dblclick()
    page.wait_for_url("**/threads/*-*/")
    stands(page, "idle")
    page.locator("#composer textarea").fill("Once")
    page.locator("#composer .send").dblclick()
    expect(page.locator(".message")).to_have_count(2)
    stands(page, "idle")
    page.evaluate("history.back()")
    page.wait_for_url("**/threads/?workspace=*")
    expect(page.locator("#composer textarea")).to_have_value("")
    expect(page.locator("#listed a", has_text="The first one")).to_have_count(1)
    page.evaluate("history.forward()")
    page.wait_for_url("**/threads/*-*/")
    expect(page.locator(".message")).to_have_count(2)
    assert events(page) == sorted(set(events(page)))


def test_esc_twice_stops_once_and_is_no_mistake(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Tell me slowly")
    expect(page.locator("#live .words")).to_contain_text("demo")
    answers: list[int] = []
    page.on("response", lambda response: answers.append(response.status) if "/stop" in response.url else None)
    page.evaluate(TWICE)
    stands(page, "idle", 5)
    page.wait_for_load_state("networkidle")
    assert answers == [200]
    expect(page.locator("#composer-note")).to_be_empty()


def test_only_what_was_pressed_shows_that_it_is_being_sent(team: Team) -> None:
    page = team.page("root")
    tools = held(page, "**/tools/")
    team.begin(page, "Hello")
    say(page, "write a document about tea and publish")
    form = page.locator("form[data-kind=approval]")
    held(page, "**/answer/")
    form.locator("[value=approve]").click()
    expect(form.locator("[value=approve]")).to_have_css("cursor", "progress")
    for route in tools:
        route.continue_()
    expect(page.locator("#panel-tools a").first).to_be_visible()
    expect(form.locator("[value=approve]")).to_have_css("cursor", "progress")
    expect(form.locator("[value=decline]")).not_to_have_css("cursor", "progress")
    held(page, "**/messages/")
    page.locator("#content").fill("And more")
    page.locator("#content").press("Enter")
    expect(page.locator(".send")).to_have_css("cursor", "progress")


def test_a_long_paste_becomes_a_document(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    area = page.locator("#composer textarea")
    area.fill("Read this: ")
    paste(area, 20_000)
    expect(page.locator("#composer-note")).to_contain_text("20,000 lines")
    expect(area).to_have_value("Read this: ")
    page.keyboard.press("Enter")
    expect(page.locator("#artifact h2")).to_have_text("line 0 of a long text")
    expect(page.locator("#composer-note")).to_contain_text("the agent follows it")
    expect(area).to_be_focused()
    expect(page.locator("#artifact .rest")).to_contain_text("more characters")


def test_a_finished_message_is_said_once(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "Hello"))
    stands(bob, "idle")
    bob.locator("#said").evaluate("said => said.replaceChildren()")
    say(alice, "Something new")
    ended(bob, 2)
    said = bob.locator("#said p").all_inner_texts()
    assert [words.partition(":")[0] for words in said] == ["alice", "Agent"]
    assert said[0] == "alice: Something new"


def test_how_the_run_stands_is_said_once_until_it_changes(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "Hello"))
    stands(bob, "idle")
    bob.evaluate(TELLS)
    say(alice, "Tell me slowly")
    stands(bob, "running")
    expect(bob.locator("#live .words")).to_contain_text("demo")
    say(alice, "And more")
    expect(bob.locator(".message", has_text="And more")).to_contain_text("waiting")
    alice.locator("#stop-withdraw").click()
    stands(bob, "idle")
    told = bob.evaluate("told")
    assert "Working" in told
    assert all(one != next for one, next in itertools.pairwise(told)), told


def test_who_else_is_here_is_said_and_new_words_are_marked(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    first = team.begin(alice, "Hello")
    stands(alice, "idle")
    expect(alice.locator("#here li:visible")).to_have_count(0)
    bob.goto(first)
    expect(alice.locator("#here")).to_contain_text("bob is here")
    expect(bob.locator("#here li:visible")).to_have_text(["alice is here"])
    alice.locator("#thread-title").evaluate("title => (title.textContent = 'A long title '.repeat(20))")
    room, name = (alice.locator(f"#here{rest}").bounding_box() for rest in ("", " li:visible bdi"))
    assert room
    assert name
    assert room["x"] <= name["x"] < name["x"] + name["width"] <= room["x"] + room["width"]
    team.begin(bob, "Another thread")
    expect(alice.locator("#here li:visible")).to_have_count(0)
    expect(alice.locator("#listed a[data-unread]", has_text="Another thread")).to_be_visible()
