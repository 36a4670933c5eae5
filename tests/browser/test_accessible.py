"""No page breaks a rule that axe knows, in the states in which people meet it."""

from playwright.sync_api import Page, expect

from tests.browser.accessible import violations
from tests.browser.artifacts import TEXT, begin_edit, collided, made, picnic, press, reads, tea
from tests.browser.team import Team, held, say, stands


def sound(page: Page) -> None:
    """Nothing is broken here."""
    assert violations(page) == []


def opened(page: Page, link: str) -> None:
    """Open a part of an artifact's page."""
    page.get_by_role("link", name=link, exact=True).click()
    expect(page.locator("#edit-slot > *").first).to_be_visible()


def suggested(team: Team, page: Page, words: str) -> None:
    """Bob suggests other words for "Green tea"; the page shows it."""
    bob = team.page("bob")
    bob.goto(page.url)
    begin_edit(bob, "Green tea", words)
    press(bob, "Suggest instead")
    page.locator(".waiting a").last.click()
    expect(page.locator(".proposal ins")).to_be_visible()


def test_axe_is_asked_and_answers(team: Team) -> None:
    page = team.page("alice")
    page.goto(tea(team))
    page.evaluate(
        """() => {
          const artifact = document.querySelector("#artifact");
          artifact.insertAdjacentHTML("beforeend", '<img src="data:,"><p>Hardly to be read</p>');
          artifact.lastChild.style.color = "color-mix(in oklch, var(--ink) 30%, var(--paper))";
        }"""
    )
    assert [found.split(": ")[:2] for found in violations(page)] == [
        ["light", "color-contrast"],
        ["light", "image-alt"],
        ["dark", "color-contrast"],
    ]


def test_signing_in(team: Team) -> None:
    page = team.people.stranger()
    page.goto(f"{team.served.url}/sign-in/")
    sound(page)
    page.get_by_label("Name").fill("alice")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    sound(page)


def test_the_workspace(team: Team) -> None:
    page = team.page("alice")
    place = f"{team.served.url}/workspaces/{team.workspace}/"
    tea(team)
    picnic(team)
    archived = tea(team)
    page.goto(archived)
    page.locator(".more summary").click()
    press(page, "Archive")
    expect(page.locator("#artifact .meta")).to_contain_text("archived")
    for rest in ("", "?q=nothing+of+the+kind", "?q=tea"):
        page.goto(place + rest)
        sound(page)
    for summary in page.locator("main summary").all():
        summary.click()
    sound(page)


def test_the_members_and_their_ways_in(team: Team) -> None:
    page, newcomer = team.page("alice"), team.people.stranger()
    page.goto(f"{team.served.url}/workspaces/{team.workspace}/members/")
    page.get_by_label("User name").fill("nobody")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".error")).to_be_visible()
    sound(page)
    page.get_by_label("E-mail address").fill("dora@example.org")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.locator("#link")).to_be_visible()
    sound(page)
    newcomer.goto(page.locator("#link").input_value())
    sound(newcomer)
    newcomer.goto(f"{team.served.url}/invitations/nothing/")
    sound(newcomer)
    page.locator("a", has_text="Change bob").click()
    page.get_by_role("radio", name="viewer").wait_for()
    sound(page)


def test_a_document_read_edited_and_looked_back_at(team: Team) -> None:
    page = team.page("alice")
    page.goto(
        made(
            team,
            "document",
            {"title": "Tea", "text": f"# Kinds\n\n{TEXT}\n- [ ] a\n\n`x`\n\n```py\nif 1: 2\n```\n"},
        )
    )
    sound(page)
    begin_edit(page, "Green", "Greenish")
    sound(page)
    page.get_by_label("Title").fill("")
    press(page, "Save")
    expect(page.locator(".error").first).to_be_visible()
    sound(page)
    page.get_by_label("Title").fill("Teas")
    press(page, "Save")
    reads(page, 2, "Greenish")
    opened(page, "History")
    sound(page)
    press(page, "Compare")
    expect(page.locator(".diff ins").first).to_be_visible()
    sound(page)
    page.get_by_role("link", name="All versions").click()
    page.get_by_role("link", name="Version 1").click()
    expect(page.locator(".revision .prose")).to_be_visible()
    sound(page)


def test_a_plan_read_and_edited(team: Team) -> None:
    page = team.page("alice")
    page.goto(picnic(team))
    sound(page)
    opened(page, "Edit")
    page.locator('[data-task="b"] summary').click()
    sound(page)


def test_a_proposal_open_out_of_date_and_decided(team: Team) -> None:
    page = team.page("alice")
    page.goto(tea(team))
    suggested(team, page, "Green tea from Assam")
    sound(page)
    page.get_by_role("link", name="Accept with changes…").click()
    expect(page.locator("#edit-slot textarea:not(#decision-reason)").first).to_be_visible()
    sound(page)
    page.goto(page.url.split("?")[0])
    begin_edit(page, "Green tea", "Green tea from Uji")
    press(page, "Save")
    reads(page, 2)
    page.locator(".waiting a").click()
    expect(page.locator("#proposal-now")).to_contain_text("Out of date")
    sound(page)
    press(page, "Reject")
    expect(page.locator(".waiting")).to_have_count(0)
    sound(page)


def test_changes_that_collide(team: Team) -> None:
    _, bob = collided(team, "Green tea from Uji", "Green tea from Assam")
    sound(bob)


def test_a_publication(team: Team) -> None:
    page, stranger = team.page("alice"), team.people.stranger()
    page.goto(tea(team))
    opened(page, "History")
    page.get_by_role("link", name="Version 1").click()
    press(page, "Make public")
    expect(page.locator("a[href*='/published/']").first).to_be_visible()
    sound(page)
    stranger.goto(str(page.locator("a[href*='/published/']").first.evaluate("link => link.href")))
    sound(stranger)


def test_a_thread_and_what_its_agent_asks(team: Team) -> None:
    page = team.page("root")
    team.begin(page, "write a document about tea")
    for words, status in (
        ("plan a picnic", "idle"),
        ("ask me", "paused"),
        ("green", "idle"),
        ("publish", "paused"),
    ):
        stands(page, "idle" if words != "green" else "paused")
        sound(page)
        say(page, words)
        stands(page, status)
    sound(page)


def test_a_thread_before_its_first_message_and_while_it_runs(team: Team) -> None:
    page = team.page("alice")
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    sound(page)
    team.begin(page, "write a document about tea slowly")
    expect(page.locator("#live > *").first).to_be_visible()
    sound(page)
    page.locator("form#stop button[title=Esc]").click()
    stands(page, "idle")
    sound(page)


def test_ones_own_pages_the_search_and_what_is_forgotten(team: Team) -> None:
    page = team.page("bob")
    team.begin(page, "Hello")
    stands(page, "idle")
    page.locator('[popovertarget="menu"]').click()
    expect(page.locator("#menu")).to_be_visible()
    sound(page)
    root, rest = (
        team.served.url,
        ("/profile/", "/password/", "/artifacts/", "/nothing/", "/password/forgotten/"),
    )
    for path in (
        *rest,
        *(f"/workspaces/{team.workspace}/search/?q={words}" for words in ("hello", "nothing+of+it")),
    ):
        page.goto(root + path)
        sound(page)


def test_a_thread_with_news_and_somebody_else(team: Team) -> None:
    alice, bob = team.page("alice"), team.page("bob")
    bob.goto(team.begin(alice, "Hello"))
    stands(bob, "idle")
    bob.goto(f"{team.served.url}/profile/")
    say(alice, "Something new")
    bob.goto(alice.url)
    expect(bob.locator("#since")).to_be_visible()
    expect(bob.locator("#here")).to_contain_text("alice")
    sound(bob)


def test_what_is_being_sent_and_what_is_being_opened(team: Team) -> None:
    page = team.page("alice")
    held(page, "**/revisions/")
    page.goto(tea(team))
    begin_edit(page, "Green tea", "Green tea from Uji")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("form.edit.htmx-request")).to_be_visible()
    sound(page)
    expect(page.locator("form.edit.htmx-request")).to_be_visible()
    page.reload()
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.locator(".button.htmx-request")).to_be_visible()
    sound(page)
