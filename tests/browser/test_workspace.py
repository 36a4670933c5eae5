"""A workspace in two people's windows: what one does arrives at the other, and a newcomer finds the way in."""

from playwright.sync_api import Page, expect

from tests.browser.team import Team, say

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def place(team: Team, rest: str = "") -> str:
    return f"{team.served.url}/workspaces/{team.workspace}/{rest}"


def begin(page: Page, team: Team, title: str) -> None:
    """Begin a document from the workspace's page."""
    page.goto(place(team))
    page.locator("text=New document").click()
    page.get_by_label("Title").fill(title)
    page.locator("text=Begin").click()
    page.wait_for_url("**/artifacts/*-*/form/")


def is_no_wider_than_the_window(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_one_begins_arrives_at_the_other(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(place(team))
    bob.locator("#q").fill("half a thought")
    begin(alice, team, "Tea for two")
    expect(alice.locator("#edit-text")).to_be_focused()
    expect(bob.locator(".documents")).to_contain_text("Tea for two")
    expect(bob.locator("#q")).to_have_value("half a thought")
    bob.locator("#q").fill("two tea")
    bob.locator("#q").press("Enter")
    expect(bob.locator(".documents .rows > li")).to_have_count(1)
    begin(alice, team, "Two more teas")
    expect(bob.locator(".documents .rows > li")).to_have_count(2)
    begin(alice, team, "Coffee")
    bob.wait_for_timeout(1_500)
    expect(bob.locator(".documents .rows > li")).to_have_count(2)


def test_a_newcomer_comes_by_link_and_the_owner_sees_them_arrive_and_go(team: Team) -> None:
    alice, dora = team.page("alice"), team.people.stranger(**PHONE)
    alice.goto(place(team, "members/"))
    alice.get_by_label("E-mail address").fill("dora@example.org")
    alice.get_by_role("button", name="Invite", exact=True).click()
    link = alice.locator("#link").input_value()
    dora.goto(link)
    is_no_wider_than_the_window(dora)
    dora.get_by_label("User name").fill("dora")
    dora.get_by_label("Password", exact=True).fill("a long enough password")
    dora.get_by_label("Password again").fill("a long enough password")
    dora.locator("text=Make it and join").click()
    dora.wait_for_url(place(team))
    is_no_wider_than_the_window(dora)
    expect(alice.locator(".people").first).to_contain_text("dora")
    expect(alice.locator(".people", has_text="dora@example.org")).to_have_count(0)
    alice.locator("a", has_text="Change dora").click()
    alice.locator("text=Remove from this workspace").click()
    expect(alice.locator("[role=status]", has_text="no longer a member")).to_be_visible()
    expect(dora.locator("#connection")).to_contain_text("no longer have access")
    again = team.people.stranger()
    again.goto(link)
    expect(again.locator("h1")).to_have_text("This link joins nobody")


def test_by_keyboard_alone_one_is_added_and_given_a_role(team: Team) -> None:
    page = team.page("alice")
    page.goto(place(team, "members/"))
    page.get_by_label("User name").focus()
    page.keyboard.type("charlie")
    page.keyboard.press("Enter")
    expect(page.locator("[role=status]", has_text="charlie is now a member")).to_be_visible()
    page.locator("a", has_text="Change charlie").focus()
    page.keyboard.press("Enter")
    page.get_by_role("radio", name="viewer").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("[role=status]", has_text="The role of charlie is now viewer")).to_be_visible()
    page.locator("a", has_text="Change charlie").click()
    page.locator("text=Remove from this workspace").click()
    expect(page.locator(".people").first).not_to_contain_text("charlie")


def test_without_script_and_on_a_phone_it_all_works_too(team: Team) -> None:
    page = team.page("root", java_script_enabled=False, **PHONE)
    begin(page, team, "Without script")
    page.goto(place(team))
    expect(page.locator(".documents")).to_contain_text("Without script")
    page.locator("#q").fill("without")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".documents .rows > li")).to_have_count(1)
    page.locator("text=Show all").click()
    page.locator(".opens-sidebar").click()
    page.locator(".closes-sidebar").click()
    expect(page.locator("#sidebar")).to_be_hidden()
    page.locator(".opens-sidebar").click()
    page.locator(".switch summary").click()
    page.locator(".switch a", has_text="root’s workspace").click()
    page.locator("#manage").click()
    page.get_by_label("User name").fill("nobody")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".error")).to_contain_text("Nobody here is called nobody")
    page.get_by_label("E-mail address").fill("erik@example.org")
    page.get_by_role("button", name="Invite", exact=True).click()
    assert "/invitations/" in page.locator("#link").input_value()
    page.locator("text=Withdraw").first.click()
    expect(page.locator("body")).not_to_contain_text("erik@example.org")


def test_the_sidebar_is_current_on_every_page_and_leaves_what_the_page_shows_alone(team: Team) -> None:
    alice, bob, root = team.page("alice"), team.page("bob"), team.page("root")
    for page, where in (
        (alice, place(team)),
        (root, place(team, "search/")),
        (bob, f"{team.served.url}/threads/"),
    ):
        page.goto(f"{where}?workspace={team.workspace}" if page is bob else where)
        expect(page.locator("#listed")).to_be_attached()
    asked: list[str] = []
    alice.on("request", lambda request: asked.append(request.url.removeprefix(place(team))))
    team.begin(bob, "ask me")
    for page in (alice, root):
        expect(page.locator("#listed a", has_text="ask me").locator(".state")).to_contain_text("waiting")
    for page in (alice, bob, root):
        expect(page.locator("#waiting")).to_contain_text("to decide")
    assert {path.partition("?")[0] for path in asked if not path.startswith("http")} == {"threads/"}
    alice.goto(place(team, "members/"))
    alice.get_by_label("Name", exact=True).fill("Tea & <b>cake</b>")
    alice.get_by_role("button", name="Rename").click()
    for page in (alice, bob, root):
        expect(page.locator("#sidebar h2").first).to_have_text("Tea & <b>cake</b>")


def test_an_old_thread_comes_first_again_before_those_who_are_in_it(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    team.begin(alice, "An old one")
    old = alice.url
    team.begin(alice, "A newer one")
    for page in (alice, bob):
        page.goto(old)
        expect(page.locator("#listed li").first).to_contain_text("A newer one")
    say(bob, "Once more")
    for page in (alice, bob):
        expect(page.locator("#listed li").first).to_contain_text("An old one")
        expect(page.locator("#listed li").first.locator("[aria-current=page]")).to_be_visible()
