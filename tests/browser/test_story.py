"""The walk through everything, by two people and a reviewer in Chromium, under a strict Content-Security-Policy."""

from playwright.sync_api import Page, expect

from tests.browser.team import Team, equals_a_fresh_page, say, stands

ENVIRONMENT = {"DJANGO_SETTINGS_MODULE": "tests.browser.brisk"}


def test_two_people_and_an_agent_write_about_tea(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "What can you do?"))
    for page in (alice, bob):
        expect(page.locator("#transcript")).to_contain_text("write a document about tea")
        expect(page.locator(".model-note")).to_contain_text("a script, not a language model")
    a_document_is_written(alice, bob)
    a_person_edits_and_the_agent_says_what_changed(alice, bob)
    a_message_steers_the_run(alice, bob)
    a_question_is_answered_after_a_restart(alice, bob, team)
    a_reviewer_approves_in_the_admin(alice, team)
    stop_stops(alice, bob)
    for page, name in ((alice, "bob"), (bob, "alice")):
        equals_a_fresh_page(page, team, name)


def a_document_is_written(alice: Page, bob: Page) -> None:
    say(alice, "write a document about tea, slowly")
    for page in (alice, bob):
        stands(page, "running")
        expect(page.locator("#drafts .draft h2")).to_have_text("Tea")
    for page in (alice, bob):
        expect(page.locator("#drafts .draft .prose li").first).to_be_visible()
    for page in (alice, bob):
        expect(page.locator("#artifact")).to_have_attribute("data-version", "1", timeout=30_000)
        expect(page.locator("#drafts .draft")).to_have_count(0)
        stands(page, "idle")


def a_person_edits_and_the_agent_says_what_changed(alice: Page, bob: Page) -> None:
    bob.locator("#panel-tools >> text=Edit").click()
    area = bob.locator("#edit-text")
    area.fill(area.input_value() + "\nBest at eighty degrees.\n")
    bob.get_by_role("button", name="Save", exact=True).click()
    for page in (alice, bob):
        expect(page.locator("#artifact")).to_have_attribute("data-version", "2")
        expect(page.locator("#artifact")).to_contain_text("Best at eighty degrees.")
    expect(bob.locator("form.edit")).to_have_count(0)
    say(alice, "Hello again")
    for page in (alice, bob):
        expect(page.locator(".words").last).to_contain_text("bob changed")
        expect(page.locator("details.told")).to_have_count(1)
        stands(page, "idle")


def a_message_steers_the_run(alice: Page, bob: Page) -> None:
    say(alice, "write a document about cups, slowly")
    expect(bob.locator("#composer-effect")).to_contain_text("steers the run")
    say(bob, "And mention Darjeeling")
    mine = alice.locator(".message", has_text="And mention Darjeeling")
    expect(mine.locator(".state")).to_have_text("waiting for the agent")
    expect(mine.locator(".state")).to_have_text("", timeout=40_000)
    stands(alice, "idle", 40)
    expect(alice.locator(".words").last).to_contain_text("Darjeeling")


def a_question_is_answered_after_a_restart(alice: Page, bob: Page, team: Team) -> None:
    say(alice, "ask me")
    for page in (alice, bob):
        stands(page, "paused")
        expect(page.locator("form[data-request][data-kind=question]")).to_be_visible()
        expect(page.locator("#composer-effect")).to_have_text("Sending answers 1 question")
    alice.locator("form[data-kind=question] textarea").fill("my own half-written")
    team.served.restart()
    for page in (alice, bob):
        expect(page.locator("#connection")).to_be_hidden(timeout=20_000)
        stands(page, "paused")
    bob.locator("form[data-kind=question] label").first.click()
    bob.locator("form[data-kind=question] button").click()
    for page in (alice, bob):
        expect(page.locator(".request .verdict").last).to_contain_text("bob answered")
        expect(page.locator("form[data-request]")).to_have_count(0)
        stands(page, "idle")
    expect(alice.locator("#composer textarea")).to_have_value("my own half-written")
    expect(alice.locator("#composer-note")).to_contain_text("Somebody else settled this meanwhile")
    expect(bob.locator("#composer textarea")).to_be_focused()
    alice.locator("#composer textarea").fill("")


def a_reviewer_approves_in_the_admin(alice: Page, team: Team) -> None:
    say(alice, "publish")
    stands(alice, "paused")
    expect(alice.locator(".request").last).to_contain_text("Only a reviewer may decide this")
    expect(alice.locator("form[data-request]")).to_have_count(0)
    root = team.page("root")
    root.goto(f"{team.served.url}/admin/threads/request/")
    root.locator("#result_list tbody th a").first.click()
    root.locator("form[data-kind=approval] >> text=/^Approve$/").click()
    expect(alice.locator(".request .verdict").last).to_contain_text("root approved")
    stands(alice, "idle")
    address = alice.locator("#transcript >> text=open its page").get_attribute("href")
    reader = team.people.stranger()
    reader.goto(team.served.url + str(address))
    expect(reader.locator("h1")).to_have_text("Cups")


def stop_stops(alice: Page, bob: Page) -> None:
    say(alice, "Tell me slowly")
    expect(alice.locator("#live .words")).to_be_visible()
    stands(bob, "running")
    bob.keyboard.press("Escape")
    for page in (alice, bob):
        stands(page, "idle", 10)
        expect(page.locator(".remark").last).to_contain_text("Stopped")
        expect(page.locator("#live > *")).to_have_count(0)
