"""Staff at work beside people in a thread: what is decided in the admin goes on in every open page, and lists move."""

import re

from playwright.sync_api import Page, expect

from tests.browser.team import Team, equals_a_fresh_page, say, stands

QUEUE = "/admin/threads/request/"


def asked_to_publish(team: Team, page: Page, subject: str) -> str:
    """A thread in which the agent wrote a document and asks leave to publish it; its address."""
    address = team.begin(page, f"write a document about {subject}")
    stands(page, "idle")
    say(page, "publish")
    stands(page, "paused")
    return address


def in_queue(page: Page, subject: str) -> Page:
    """Open the review page of what waits about a subject."""
    page.locator("#result_list tr", has_text=subject).locator("th a").click()
    return page


def test_a_decision_in_the_admin_goes_on_in_the_open_thread(team: Team) -> None:
    root, alice = team.page("root"), team.page("alice")
    root.goto(team.served.url + QUEUE)
    expect(root.locator("body")).to_contain_text("0 requests")
    asked_to_publish(team, alice, "ginger")
    # The list that was open before has it by itself.
    expect(root.locator("#result_list")).to_contain_text("publish_artifact", timeout=15000)
    in_queue(root, "ginger")
    expect(root.locator("#effect")).to_contain_text("for everybody to read")
    expect(root.locator("#effect .rendered")).to_contain_text("inger")
    root.get_by_role("button", name="Approve", exact=True).click()
    expect(root.locator(".messagelist")).to_contain_text("The agent goes on.")
    stands(alice, "idle")
    expect(alice.locator("#things")).to_contain_text("root approved")
    equals_a_fresh_page(alice, team, "bob")


def test_declined_and_changed_and_too_late(team: Team) -> None:
    root, alice = team.page("root"), team.page("alice")
    asked_to_publish(team, alice, "cocoa")
    root.goto(team.served.url + QUEUE)
    in_queue(root, "cocoa")
    say(alice, "no, leave it")
    stands(alice, "idle")
    root.get_by_role("button", name="Approve", exact=True).click()
    expect(root.locator(".messagelist")).to_contain_text("already declined by alice")
    expect(root.locator("form[data-request]")).to_have_count(0)


def test_the_queue_keeps_what_is_ticked_while_it_moves(team: Team) -> None:
    root, alice, bob = team.page("root"), team.page("alice"), team.page("bob")
    asked_to_publish(team, alice, "saffron")
    root.goto(team.served.url + QUEUE)
    row = root.locator("#result_list tr", has_text="saffron")
    row.locator("input.action-select").check()
    asked_to_publish(team, bob, "pepper")
    expect(root.locator("#result_list tr", has_text="pepper")).to_be_visible(timeout=15000)
    expect(root.locator("#fresh")).to_have_text("1 more came in.")
    expect(row.locator("input.action-select")).to_be_checked()
    expect(root.locator(".action-counter")).to_have_text(re.compile("1 of [0-9]+ selected"))
    say(alice, "no")
    expect(root.locator("#result_list tr.gone", has_text="saffron")).to_be_visible(timeout=15000)
    root.locator("#result_list tr", has_text="pepper").locator("input.action-select").check()
    root.locator("select[name=action]").select_option("approve_selected")
    root.get_by_role("button", name="Run").or_(root.get_by_role("button", name="Go")).click()
    expect(root.locator("h1")).to_have_text("Approve these?")
    root.get_by_role("button", name="Approve").click()
    expect(root.locator(".messagelist")).to_contain_text("1 approved.")
    expect(root.locator(".messagelist")).to_contain_text("already declined by alice")
    stands(bob, "idle")


def test_the_badge_counts_what_waits_for_whoever_may_decide(team: Team) -> None:
    root, alice = team.page("root"), team.page("alice")
    root.goto(team.served.url)
    asked_to_publish(team, alice, "lemon")
    expect(root.locator("#waiting")).to_contain_text("to decide", timeout=25000)
    expect(alice.locator("#waiting a")).to_have_count(0)
    root.locator("#waiting a").click()
    expect(root.locator("h1")).to_contain_text("request")
    say(alice, "no")
    stands(alice, "idle")


def test_a_run_is_watched_and_stopped(team: Team) -> None:
    root, alice = team.page("root"), team.page("alice")
    team.begin(alice, "write a document about thyme, slowly")
    stands(alice, "running")
    root.goto(f"{team.served.url}/admin/threads/run/?status__exact=running")
    root.locator("#result_list tbody th a").first.click()
    expect(root.locator("#timeline")).to_contain_text("was given a message of alice")
    root.get_by_role("link", name="Stop", exact=True).click()
    root.get_by_role("button", name="Stop", exact=True).click()
    stands(alice, "idle")
    expect(alice.locator("#things")).to_contain_text("root asked to stop")
    expect(root.locator("#timeline")).to_contain_text("ended stopped", timeout=15000)


def test_a_draft_moves_while_it_is_written_and_is_published_once_it_was_left(team: Team) -> None:
    root, alice = team.page("root"), team.page("alice")
    team.begin(alice, "write a document about basil, slowly")
    expect(alice.locator("#drafts")).to_contain_text("asil", timeout=20000)
    root.goto(f"{team.served.url}/admin/threads/draft/?state__exact=writing")
    expect(root.locator("#result_list tbody th a").first).to_be_visible(timeout=15000)
    root.locator("#result_list tbody th a").first.click()
    preview = root.locator("#draft-preview")
    before = preview.inner_text()
    expect(preview).not_to_have_text(before, timeout=15000)
    alice.locator("form#stop button").first.click()
    stands(alice, "idle")
    expect(root.get_by_role("link", name="Publish as an artifact")).to_be_visible(timeout=15000)
    root.get_by_role("link", name="Publish as an artifact").click()
    root.get_by_role("button", name="Publish as an artifact").click()
    expect(root.locator(".messagelist")).to_contain_text("published as an artifact")
    expect(alice.locator("#things")).to_contain_text("root made a document of the draft")


def test_deactivating_closes_the_open_page_at_once(team: Team) -> None:
    root, charlie = team.page("root"), team.page("charlie")
    charlie.goto(f"{team.served.url}/")
    charlie.locator("#composer textarea").fill("write a document about dill, slowly")
    charlie.locator("#composer textarea").press("Enter")
    charlie.wait_for_url("**/threads/*-*/")
    stands(charlie, "running")
    root.goto(f"{team.served.url}/admin/auth/user/?q=charlie")
    root.locator("#result_list tbody th a").first.click()
    root.locator("#id_is_active").uncheck()
    root.get_by_role("button", name="Save", exact=True).click()
    expect(root.locator(".messagelist")).to_contain_text("1 run ended")
    expect(charlie.locator("#notice")).to_contain_text("signed out", timeout=15000)
