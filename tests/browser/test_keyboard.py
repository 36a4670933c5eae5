"""Everything with the keyboard alone: there is a way to it, and what goes away leaves nobody without a place."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.artifacts import TEXT, begin_edit, tea
from tests.browser.team import Team, held, paste, say, stands

# Presses what comes into some places as soon as it is there.
PRESS = """(presses) => {
  document.addEventListener("htmx:afterSwap", ({ target: { id } }) => {
    if (presses[id]) setTimeout(() => { document.querySelector(`#${id} ${presses[id]}`).click(); delete presses[id]; });
  });
}"""


def test_a_walk_with_the_keyboard_alone(team: Team) -> None:
    page = team.page("root")
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    page.keyboard.type("ask me")
    page.keyboard.press("Enter")
    page.wait_for_url("**/threads/*-*/")
    stands(page, "paused")
    tab_to(page, "form[data-kind=question] [name=choice]", back=True)
    page.keyboard.press("Space")
    tab_to(page, "form[data-kind=question] button")
    page.keyboard.press("Enter")
    stands(page, "idle")
    expect(page.locator("#composer textarea")).to_be_focused()
    page.keyboard.type("write a document about tea")
    page.keyboard.press("Enter")
    expect(page.locator("#artifact")).to_have_attribute("data-version", "1")
    stands(page, "idle")
    page.keyboard.type("publish")
    page.keyboard.press("Enter")
    stands(page, "paused")
    tab_to(page, "form[data-kind=approval] button[value=approve]", back=True)
    page.keyboard.press("Enter")
    expect(page.locator(".verdict").last).to_contain_text("root approved")
    stands(page, "idle")
    tab_to(page, "#panel-tools a")
    page.keyboard.press("Enter")
    expect(page.locator("#edit-text")).to_be_focused()
    page.keyboard.type("Mine. ")
    tab_to(page, "form.edit button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.locator("#artifact")).to_have_attribute("data-version", "2")
    expect(page.locator("#artifact")).to_be_focused()
    tab_to(page, "[popovertarget=menu]", back=True)
    page.keyboard.press("Enter")
    tab_to(page, "#menu-title")
    page.keyboard.type("By hand")
    page.keyboard.press("Enter")
    expect(page.locator("#thread-title")).to_have_text("By hand")


def test_what_the_agent_follows_is_dropped_and_taken_up_again_in_the_menu(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "write a document about tea")
    expect(page.locator("#artifact")).to_have_attribute("data-version", "1")
    stands(page, "idle")
    tab_to(page, "[popovertarget=menu]", back=True)
    page.keyboard.press("Enter")
    drop = page.locator("#menu [aria-label^=Drop]")
    bob = team.page("bob")
    bob.goto(page.url)
    own = bob.locator("#loose a")
    for press, followed in (("[aria-label^=Drop]", 0), ("#menu-follow", 1)):
        tab_to(page, f"#menu {press}")
        page.keyboard.press("Enter")
        expect(drop).to_have_count(followed)
        expect(own).to_be_visible(visible=not followed)
        expect(page.locator("#menu:focus, #menu :focus")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#menu")).to_be_hidden()
    assert str(own.get_attribute("href")).endswith(
        f"/artifacts/{bob.locator('#artifact').get_attribute('data-id')}/"
    )


def test_who_used_what_is_gone_goes_on_where_they_write(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "Tell me slowly")
    stands(page, "running")
    goes_on(page, "form#stop button", page.locator("form#stop"))
    goes_on(page, ".retry button", page.locator(".retry form"), back=True)
    stands(page, "running")
    page.keyboard.type("And more")
    page.keyboard.press("Enter")
    expect(page.locator(".message .slot button")).to_be_visible()
    goes_on(page, ".message .slot button", page.locator(".message .slot button"), back=True)


def test_an_answer_that_comes_late_takes_nobody_from_where_they_went_on(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, "write a document about tea and ask me")
    edit, slot = page.locator("#panel-tools").get_by_role("link", name="Edit"), page.locator("#edit-slot")
    form = page.locator("form[data-kind=question]")
    form.locator("[name=choice]").first.check()
    answered(page, "**/answer/", form.get_by_role("button").first, page.locator(".request .verdict"))
    stands(page, "idle")
    answered(page, "**/form/", edit, page.locator("#edit-text"))
    base, save = slot.locator("[name=base]"), slot.get_by_role("button", name="Save", exact=True)
    page.locator("#edit-text").fill("Mine")
    base.evaluate("base => base.value = 7")
    answered(page, "**/revisions/", save, slot.locator(".edit-note .error"))
    base.evaluate("base => base.value = 1")
    answered(page, "**/revisions/", save, page.locator("#artifact-note p"))
    paste(page.locator("#content"), 2_000)
    make = page.get_by_role("button", name="Make it a document")
    answered(page, "**/documents/", make, page.locator("#composer-note p.quiet"))


def answered(page: Page, address: str, press: Locator, answer: Locator) -> None:
    """Press this, go on in the search before the answer comes, and be left there when it comes."""
    seek, waits = page.locator("#seek"), held(page, address)
    press.click()
    seek.fill("te")
    seek.press("End")
    for route in waits:
        route.continue_()
    expect(answer).to_be_visible()
    page.unroute(address)
    expect(page.locator(".htmx-request")).to_have_count(0)
    page.keyboard.type("a")
    expect(seek).to_have_value("tea")


def test_what_has_just_come_is_used_at_once(team: Team) -> None:
    """However quick a hand is, and however late a timer: what is pressed as it appears never leaves the page."""
    page = team.page("alice")
    address = team.begin(page, "Hello")
    page.evaluate(PRESS, {"panel-tools": "a", "edit-slot": "[value=save]"})
    say(page, "write a document about tea")
    expect(page.locator("#artifact-note p")).to_be_visible()
    assert page.url == address


def goes_on(page: Page, selector: str, gone: Locator, *, back: bool = False) -> None:
    """Press this, which then goes; the composer has the focus."""
    tab_to(page, selector, back=back)
    page.keyboard.press("Enter")
    expect(gone).to_be_hidden()
    expect(page.locator("#composer textarea")).to_be_focused()


def test_nothing_covers_what_has_the_focus(team: Team) -> None:
    page = team.page("alice", viewport={"width": 320, "height": 640})
    team.begin(page, "Hello")
    stands(page, "idle")
    for opens, covers in (("opens-sidebar", "#sidebar"), ("opens-panel", "#panel")):
        tab_to(page, f".bar > .{opens}", back=True)
        page.keyboard.press("Enter")
        expect(page.locator(f"{covers} > .bar button")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator(f".main .{opens}")).to_be_focused()
        page.keyboard.press("Enter")
        for _ in range(20):
            page.keyboard.press("Tab")
        expect(page.locator(covers)).to_be_hidden()


def test_esc_closes_what_is_open_beside_a_document_unless_something_is_typed_there(team: Team) -> None:
    page = team.page("alice")
    page.goto(tea(team))
    tab_to(page, "#panel-tools a[href$=revisions\\/]")
    page.keyboard.press("Enter")
    expect(page.locator(".history h3")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".opened")).to_have_count(0)
    begin_edit(page, "Green tea", "Greener tea")
    page.keyboard.press("Escape")
    expect(page.locator("#edit-text")).to_have_value(TEXT.replace("Green tea", "Greener tea"))


def test_a_form_that_is_refused_leads_to_what_is_wrong(team: Team) -> None:
    page = team.page("alice")
    page.goto(f"{team.served.url}/workspaces/{team.workspace}/members/")
    for field, wrong in (("byname-username", "nobody"), ("byemail-email", "a@b")):
        tab_to(page, f"#{field}")
        page.keyboard.type(wrong)
        page.keyboard.press("Enter")
        expect(page.locator(f"#{field}_error")).to_be_visible()
        expect(page.locator(f"#{field}")).to_be_focused()


def tab_to(page: Page, selector: str, *, back: bool = False) -> None:
    """Press Tab until something is focused, as people do."""
    for _ in range(60):
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"no way to {selector} with the keyboard")
