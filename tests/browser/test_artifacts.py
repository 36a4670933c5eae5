"""Two people on one document or plan, in every way in which they can collide; and that nothing typed is lost."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.browser.artifacts import TEXT, begin_edit, both_at, collided, picnic, press, reads, tea, typed
from tests.browser.team import Team, held, offline, say, stands


def test_each_sees_that_the_other_is_here_is_editing_and_has_gone(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    expect(alice.locator("#presence li", has_text="alice")).to_be_hidden()
    begin_edit(bob, "Green", "Greenish")
    expect(alice.locator("#presence")).to_contain_text("bob is editing")
    bob.get_by_role("link", name="Cancel").click()
    expect(alice.locator("#presence")).to_contain_text("bob is here")
    bob.goto("about:blank")
    expect(alice.locator("#presence li", has_text="bob")).to_have_count(0)


def test_changes_that_stand_apart_are_both_kept(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    begin_edit(alice, "Green tea", "Green tea from Uji")
    begin_edit(bob, "White tea", "White tea from Fujian")
    press(alice, "Save")
    reads(alice, 2, "from Uji")
    expect(alice.locator("#artifact-note")).to_have_text("Saved as version 2.")
    expect(bob.locator(".edit-news")).to_contain_text("alice saved version 2 meanwhile")
    expect(bob.locator("#edit-text")).to_have_value(TEXT.replace("White tea", "White tea from Fujian"))
    press(bob, "Save")
    expect(bob.locator(".merge > h3")).to_be_focused()
    expect(bob.locator(".merge .differences ins").last).to_have_text(" from Fujian")
    press(bob, "Save both changes")
    for page in (alice, bob):
        reads(page, 3, "from Uji", "from Fujian")
    expect(bob.locator("form.edit")).to_have_count(0)
    expect(bob.locator("#artifact")).to_be_focused()


def test_changes_that_overlap_are_settled_by_hand(team: Team) -> None:
    alice, bob = collided(team, "Green tea from Uji", "Green tea from Assam")
    expect(bob.locator(".overlaps dd").first).to_contain_text("Assam")
    settled = bob.locator("#edit-merged-text")
    assert "Uji" in settled.input_value()
    settled.fill(TEXT.replace("Green tea", "Green tea from Uji or Assam"))
    press(bob, "Save what I settled")
    for page in (alice, bob):
        reads(page, 3, "Green tea from Uji or Assam.")


def test_an_edit_that_came_too_late_is_suggested_and_accepted(team: Team) -> None:
    alice, bob = collided(team, "Green tea from Uji", "Green tea from Assam")
    press(bob, "Suggest mine instead")
    expect(bob.locator("#artifact-note")).to_contain_text("Suggested")
    alice.locator(".waiting a").click()
    expect(alice.locator(".proposal ins")).to_have_text("Assam")
    press(alice, "Accept")
    for page in (alice, bob):
        reads(page, 3, "from Assam")
        expect(page.locator(".waiting")).to_have_count(0)


def test_one_archives_what_the_other_edits(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    begin_edit(bob, "Green", "Greenest")
    alice.locator(".more summary").click()
    press(alice, "Archive")
    expect(bob.locator("#artifact .meta")).to_contain_text("archived")
    press(bob, "Save")
    expect(bob.locator(".edit-note")).to_contain_text("is archived")
    expect(bob.locator("#edit-text")).to_have_value(TEXT.replace("Green", "Greenest"))
    expect(alice.get_by_role("link", name="Edit", exact=True)).to_have_count(0)
    alice.locator(".more summary").click()
    press(alice, "Bring back from the archive")
    expect(alice.get_by_role("link", name="Edit", exact=True)).to_be_visible()
    press(bob, "Save")
    for page in (alice, bob):
        reads(page, 2, "Greenest")


def test_one_restores_a_version_while_the_other_edits(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    begin_edit(alice, "Black tea", "Dark tea")
    press(alice, "Save")
    reads(bob, 2, "Dark tea")
    begin_edit(bob, "White", "Whitest")
    alice.get_by_role("link", name="History").click()
    alice.get_by_role("link", name="Version 1").click()
    expect(alice.locator(".revision .prose")).to_contain_text("Black tea")
    press(alice, "Restore this version")
    reads(alice, 3, "Black tea")
    press(bob, "Save")
    press(bob, "Save both changes")
    for page in (alice, bob):
        reads(page, 4, "Black tea", "Whitest tea")


def test_a_proposal_goes_out_of_date_while_it_is_looked_at(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    begin_edit(bob, "Green tea", "Green tea from Assam")
    bob.locator("#edit-summary-line").fill("Where it is from")
    press(bob, "Suggest instead")
    alice.locator(".waiting a", has_text="bob suggests: Where it is from").click()
    alice.locator("#decision-reason").fill("Half a rea")
    begin_edit(bob, "Green tea", "Green tea from Uji")
    press(bob, "Save")
    expect(alice.locator("#proposal-now")).to_contain_text("Out of date")
    expect(alice.locator("#decision-reason")).to_have_value("Half a rea")
    expect(alice.locator(".waiting .state")).to_contain_text("out of date")
    press(alice, "Accept")
    expect(alice.locator("#decision .note")).to_contain_text("no longer applies")
    alice.get_by_role("link", name="Accept with changes…").click()
    expect(alice.locator(".overlaps")).to_contain_text("Assam")
    alice.locator("#edit-merged-text").fill(TEXT.replace("Green tea", "Green tea from Uji, not Assam"))
    press(alice, "Accept this")
    for page in (alice, bob):
        reads(page, 3, "Uji, not Assam")
        expect(page.locator(".waiting")).to_have_count(0)


def test_a_proposal_is_decided_by_another_while_somebody_writes_a_reason(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    root = team.page("root")
    root.goto(alice.url)
    begin_edit(bob, "Green tea", "Green tea from Assam")
    press(bob, "Suggest instead")
    for page in (alice, root):
        page.locator(".waiting a").click()
    root.locator("#decision-reason").fill("Because")
    press(alice, "Accept")
    expect(root.locator("#proposal-now")).to_contain_text("accepted by alice")
    reads(root, 2)


def test_a_plan_is_edited_by_both(team: Team) -> None:
    alice, bob = both_at(team, picnic(team))
    for page in (alice, bob):
        page.get_by_role("link", name="Edit", exact=True).click()
    row = alice.locator('[data-task="b"]')
    row.locator("summary").click()
    row.locator("[name=note]").fill("green, if there is")
    bob.locator('[data-task="a"] >> text=Done').click()
    bob.locator('[data-task="b"] >> text=Doing').click()
    bob.locator('[data-task="c"] [value=up]').click()
    expect(bob.locator('[data-task="c"] [value=up]')).to_be_focused()
    bob.locator("#plan-add").fill("Cups")
    bob.locator("#plan-add").press("Enter")
    expect(bob.locator("#plan-add")).to_have_value("")
    expect(alice.locator(".task strong")).to_have_text(["Bread", "Rug", "Tea", "Cups"])
    expect(row.locator(".task-now")).to_contain_text("doing")
    expect(row.locator("[name=note]")).to_have_value("green, if there is")
    row.locator("text=Save").click()
    for page in (alice, bob):
        expect(page.locator('[data-task="b"] .task-now')).to_contain_text("green, if there is")
        expect(page.locator("#artifact")).to_have_attribute("data-version", "6")
    bob.get_by_role("link", name="Close").click()
    expect(bob.locator("#artifact .plan li")).to_have_count(4)


def test_a_task_is_dropped_while_the_other_renames_it(team: Team) -> None:
    alice, bob = both_at(team, picnic(team))
    for page in (alice, bob):
        page.get_by_role("link", name="Edit", exact=True).click()
    row = alice.locator('[data-task="b"]')
    row.locator("summary").click()
    row.locator("[name=name]").fill("Coffee")
    bob.locator('[data-task="b"] >> text=Drop').click()
    expect(row.locator(".task-now")).to_contain_text("Somebody dropped this task")
    expect(row.locator("[name=name]")).to_have_value("Coffee")
    row.locator("text=Save").click()
    expect(alice.locator(".plan-note")).to_contain_text("somebody dropped it")
    expect(row.locator("[name=name]")).to_have_value("Coffee")


def test_what_is_typed_survives_a_reload_and_is_given_up_by_cancelling(team: Team) -> None:
    page = team.page("alice")
    page.goto(tea(team))
    begin_edit(page, "Green", "Greenish")
    page.reload()
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.locator("#edit-text")).to_have_value(TEXT.replace("Green", "Greenish"))
    expect(page.locator(".edit-news")).to_contain_text("is back, unsaved")
    page.get_by_role("link", name="Cancel").click()
    page.get_by_role("link", name="Edit", exact=True).click()
    expect(page.locator("#edit-text")).to_have_value(TEXT)
    begin = page.locator("#edit-text")
    begin.fill("All new.")
    press(page, "Save")
    reads(page, 2, "All new.")
    assert typed(page) == {}


def test_a_signed_out_person_keeps_their_text(team: Team) -> None:
    page = team.page("bob")
    page.goto(tea(team))
    begin_edit(page, "Green", "Greenish")
    page.context.clear_cookies(name="sessionid")
    press(page, "Save")
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    expect(page.locator("#edit-text")).to_have_value(TEXT.replace("Green", "Greenish"))


def test_versions_are_compared_and_copied(team: Team) -> None:
    page = team.page("alice", permissions=["clipboard-read", "clipboard-write"])
    page.goto(tea(team))
    begin_edit(page, "Green", "Greenish")
    press(page, "Save")
    reads(page, 2)
    page.get_by_role("link", name="History").press("Enter")
    expect(page.get_by_role("heading", name="History")).to_be_focused()
    press(page, "Compare")
    expect(page.locator(".diff del")).to_have_text("Green")
    expect(page.locator(".diff ins")).to_have_text("Greenish")
    page.get_by_role("link", name="All versions").click()
    page.get_by_role("link", name="Close").click()
    page.locator(".more summary").click()
    press(page, "Copy as Markdown")
    expect(page.locator("#artifact-note")).to_have_text("Copied.")
    assert str(page.evaluate("navigator.clipboard.readText()")).startswith("# Tea\n\nGreenish tea.")


def test_a_person_in_the_panel_and_one_on_the_page_collide(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    team.begin(alice, "write a document about tea")
    stands(alice, "idle")
    expect(alice.locator("#artifact")).to_have_attribute("data-version", "1")
    bob.goto(f"{team.served.url}/artifacts/{alice.locator('#artifact').get_attribute('data-id')}/")
    text = edited_in_panel(alice)
    expect(bob.locator("#presence")).to_contain_text("alice is editing")
    begin_edit(bob, "where it comes from", "where it grows")
    press(bob, "Save")
    reads(alice, 2)
    expect(alice.locator(".edit-news")).to_contain_text("bob saved version 2")
    expect(alice.locator("#edit-text")).to_have_value(text)
    press(alice, "Save")
    press(alice, "Save both changes")
    for page in (alice, bob):
        reads(page, 3, "where it grows", "Best hot.")
    panel_keeps_what_is_open_while_the_agent_writes(alice)


def edited_in_panel(page: Page) -> str:
    page.locator("#panel-tools >> text=Edit").click()
    area = page.locator("#edit-text")
    text = area.input_value() + "\nBest hot.\n"
    area.fill(text)
    return text


def panel_keeps_what_is_open_while_the_agent_writes(page: Page) -> None:
    page.locator("#panel-tools >> text=History").click()
    expect(page.locator(".history tbody tr")).to_have_count(3)
    say(page, "write a document about cups")
    stands(page, "idle")
    expect(page.locator("#tabs a")).to_have_count(2)
    expect(page.locator(".history tbody tr")).to_have_count(3)
    page.locator("#tabs a", has_text="Cups").click()
    expect(page.locator("#artifact h2")).to_have_text("Cups")
    expect(page.locator("#panel-tools >> text=Edit")).to_be_visible()
    expect(page.locator(".history")).to_have_count(0)


@contextmanager
def overtaken(page: Page, address: str) -> Iterator[None]:
    """Whatever the server answers there comes only afterwards."""
    answers: list[tuple[Route, APIResponse]] = []
    page.route(address, lambda route: answers.append((route, route.fetch())))
    yield
    with page.expect_response(address):
        for route, response in answers:
            route.fulfill(response=response)
    page.unroute(address)


def test_an_answer_that_was_overtaken_shows_nothing_old(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    begin_edit(alice, "Green tea", "Green tea from Uji")
    with overtaken(alice, "**/revisions/"):
        press(alice, "Save")
        reads(bob, 2, "from Uji")
        begin_edit(bob, "White tea", "White tea from Fujian")
        press(bob, "Save")
        reads(alice, 3, "from Uji", "from Fujian")
    expect(alice.locator("#artifact-note")).to_have_text("Saved as version 2.")
    reads(alice, 3, "from Uji", "from Fujian")


def test_a_document_that_is_opened_while_it_changes_is_shown_as_it_is(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    team.begin(alice, "write a document about tea")
    stands(alice, "idle")
    say(alice, "write a document about cups")
    expect(alice.locator("#tabs a").first).to_have_text("Cups")
    stands(alice, "idle")
    tab = alice.locator("#tabs a", has_text="Tea")
    bob.goto(f"{team.served.url}/artifacts/{tab.get_attribute('data-id')}/")
    with overtaken(alice, "**/panel/"):
        tab.click()
        bob.get_by_role("link", name="Edit", exact=True).click()
        bob.locator("#edit-text").fill("Tea is green.")
        press(bob, "Save")
        reads(bob, 2, "Tea is green.")
        expect(alice.locator("#tabs a").first).to_have_text("Tea")  # the last that changed
    reads(alice, 2, "Tea is green.")


def test_the_whole_walk_without_script(team: Team) -> None:
    address = tea(team)
    alice, bob = (team.page(name, java_script_enabled=False) for name in ("alice", "bob"))
    for page in (alice, bob):
        page.goto(address)
        page.get_by_role("link", name="Edit", exact=True).click()
    alice.locator("#edit-text").fill(TEXT.replace("Green tea", "Green tea from Uji"))
    press(alice, "Save")
    bob.locator("#edit-text").fill(TEXT.replace("White tea", "White tea from Fujian"))
    press(bob, "Save")
    expect(bob.locator(".merge")).to_contain_text("stand apart")
    press(bob, "Save both changes")
    reads(bob, 3, "from Uji", "from Fujian")
    bob.get_by_role("link", name="Edit", exact=True).click()
    bob.locator("#edit-text").fill("All new.")
    press(bob, "Suggest instead")
    alice.goto(address)
    alice.locator(".waiting a").click()
    press(alice, "Accept")
    reads(alice, 4, "All new.")
    alice.get_by_role("link", name="History").click()
    press(alice, "Compare")
    expect(alice.locator(".diff ins")).to_contain_text("All new")
    alice.get_by_role("link", name="All versions").click()
    alice.get_by_role("link", name="Version 1").click()
    press(alice, "Restore this version")
    reads(alice, 5, "Green tea.")
    expect(alice).to_have_url(re.compile(f"^{address}$"))


def test_an_agent_that_may_only_suggest_waits_for_a_person(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "write a document about tea"))
    for page in (alice, bob):
        stands(page, "idle")
    press(alice, "Suggests")
    for page in (alice, bob):
        expect(page.locator("#thread-mode")).to_have_text("The agent suggests its changes")
    say(bob, "change where it comes from to where it grows")
    for page in (alice, bob):
        expect(page.locator(".waiting")).to_contain_text("Agent suggests")
        expect(page.locator("#artifact")).to_have_attribute("data-version", "1")
    alice.locator(".waiting a").click()
    expect(alice.locator(".proposal ins")).to_contain_text("grows")
    press(alice, "Accept")
    for page in (alice, bob):
        reads(page, 2, "where it grows")
        expect(page.locator(".waiting")).to_have_count(0)
    alice.locator(".more summary").click()
    press(alice, "Archive")
    expect(bob.locator("#artifact .meta")).to_contain_text("archived")
    expect(bob.locator("#panel-tools >> text=Edit")).to_have_count(0)


def test_a_save_without_a_network_keeps_the_text_and_says_so(team: Team) -> None:
    alice, bob = both_at(team, tea(team))
    begin_edit(alice, "Green tea", "Green tea from Uji")
    press(alice, "Save")
    reads(bob, 2)
    begin_edit(alice, "White", "Whitest")
    save = alice.get_by_role("button", name="Save", exact=True)
    with offline(alice):
        save.press("Enter")
        expect(alice.locator("form.edit .note")).to_contain_text("cannot be reached")
        expect(save).to_be_focused()
    save.press("Enter")
    for page in (alice, bob):
        reads(page, 3, "Whitest")


def test_what_one_may_do_with_a_long_document_is_in_view_at_its_foot(team: Team) -> None:
    page = team.page("alice")
    page.goto(tea(team, TEXT * 60))
    tools = page.locator("#panel-tools")
    expect(tools.get_by_role("link", name="Edit")).to_be_in_viewport()
    page.goto(team.begin(page, "write a document about tea"))
    expect(page.locator("#artifact")).to_have_attribute("data-version", "1")
    page.set_viewport_size({"width": 1440, "height": 400})
    foot, bottom = (page.locator(place).bounding_box() for place in ("#panel-tools", "#panel-body"))
    assert foot
    assert bottom
    assert foot["y"] + foot["height"] == pytest.approx(bottom["y"] + bottom["height"], abs=1)


def test_what_was_asked_for_first_and_answered_last_does_not_show(team: Team) -> None:
    page = team.page("alice")
    asked = held(page, "**/revisions/")

    def release() -> None:
        asked.pop().continue_()
        page.wait_for_timeout(500)

    page.goto(tea(team))
    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("link", name="Proposals", exact=True).click()
    expect(page.get_by_role("heading", name="Proposals")).to_be_focused()
    release()
    expect(page.get_by_role("heading", name="Proposals")).to_be_visible()
    page.get_by_role("link", name="Close").click()
    page.get_by_role("link", name="History", exact=True).click()
    release()
    page.get_by_role("link", name="Version 1").click()
    page.get_by_role("link", name="All versions").click()
    page.get_by_role("link", name="Close").click()
    release()
    expect(page.locator("#edit-slot > *")).to_have_count(0)
    expect(page.locator(".htmx-request")).to_have_count(0)


def test_what_one_may_do_is_never_that_of_the_document_before(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Hello")
    stands(page, "idle")
    asked = held(page, "**/tools/")
    for subject in ("cups", "pots"):
        say(page, f"write a document about {subject}")
        expect(page.locator("#artifact h2")).to_have_text(subject.title())
        stands(page, "idle")
    cups, pots = asked
    cups.continue_()
    page.wait_for_timeout(500)
    expect(page.locator("#panel-tools > *")).to_have_count(0)
    pots.continue_()
    page.locator("#panel-tools").get_by_role("link", name="Edit").click()
    expect(page.locator("form.edit [name=title]")).to_have_value("Pots")
    assert team.people.complaints == []


def test_on_a_phone_what_the_agent_made_opens_from_its_line(team: Team) -> None:
    page = team.page("alice", viewport={"width": 390, "height": 844}, has_touch=True)
    team.begin(page, "write a document about tea")
    stands(page, "idle")
    expect(page.locator("#panel")).to_be_hidden()
    page.locator(".remark", has_text="made the document Tea").get_by_role("link", name="open it").tap()
    expect(page.locator("#panel #artifact h2")).to_be_visible()
    page.get_by_role("button", name="Close the documents").tap()
    expect(page.locator("#panel")).to_be_hidden()


def test_the_tab_of_what_is_open_stays_in_view(team: Team) -> None:
    page = team.page("alice", viewport={"width": 1440, "height": 900})
    team.begin(page, "write a document about cups")
    stands(page, "idle")
    page.locator("#panel-tools").get_by_role("link", name="Edit").click()
    expect(page.locator("form.edit")).to_be_visible()
    for subject in ("a very long kettle", "a very long saucer", "a very long teaspoon"):
        say(page, f"write a document about {subject}")
        expect(page.locator("#tabs a").first).to_have_text(subject.capitalize(), ignore_case=True)
        stands(page, "idle")
    here, tabs = page.locator("#tabs [aria-current]"), page.locator("#tabs")
    expect(here).to_have_text("Cups")
    expect(here).to_be_in_viewport()
    seen, room = here.bounding_box(), tabs.bounding_box()
    assert seen
    assert room
    assert room["x"] <= seen["x"] <= seen["x"] + seen["width"] <= room["x"] + room["width"]
