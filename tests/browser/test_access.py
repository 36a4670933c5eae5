"""Who may not, or no longer: what a viewer, a removed member and a deactivated person see of a page that is open."""

import re

from playwright.sync_api import Page, expect

from tests.browser.team import Team, say, stands

NOW = """
from django.contrib.auth.models import User
from artifacts.core.rules import VIEWER
from artifacts.members import add_member, remove_member
alice, bob, root = (User.objects.get(username=name) for name in ("alice", "bob", "root"))
{what}
"""


def now(team: Team, what: str) -> None:
    """Something happens at the server."""
    team.served.manage("shell", "--no-imports", "-c", NOW.format(what=what))


def test_a_member_becomes_a_viewer_is_removed_and_another_is_deactivated(team: Team) -> None:
    alice, bob, root = (team.page(name) for name in ("alice", "bob", "root"))
    address = team.begin(alice, "ask me")
    for page in (bob, root):
        page.goto(address)
        stands(page, "paused")
    a_viewer_reads_and_answers_nothing(team, bob)
    a_removed_member_is_told_and_keeps_the_text(team, bob)
    a_deactivated_person_is_signed_out(team, root)
    say(alice, "green")
    stands(alice, "idle")
    root.reload()
    expect(root).to_have_url(re.compile("/sign-in/"))


def a_viewer_reads_and_answers_nothing(team: Team, bob: Page) -> None:
    bob.locator("form[data-request] textarea").fill("Mine")
    now(team, f"add_member(alice, {team.workspace!r}, bob, VIEWER)")
    bob.locator("form[data-request] button").click()
    expect(bob.locator("form[data-request] .note")).to_contain_text("You may read here, and not write")
    expect(bob.locator("form[data-request] textarea")).to_have_value("Mine")
    bob.reload()
    expect(bob.locator("#composer, #stop, form[data-request], #panel form, #menu-rename")).to_have_count(0)
    expect(bob.locator(".notice", has_text="You may read here")).to_be_visible()


def a_removed_member_is_told_and_keeps_the_text(team: Team, bob: Page) -> None:
    now(team, f"remove_member(alice, {team.workspace!r}, bob)")
    expect(bob.locator("#notice")).to_contain_text("no longer have access", timeout=15_000)
    answer = bob.goto(bob.url)
    assert answer is not None
    assert answer.status == 404


def a_deactivated_person_is_signed_out(team: Team, root: Page) -> None:
    root.locator("#composer textarea").fill("Still mine")
    now(team, "User.objects.filter(pk=root.pk).update(is_active=False)")
    root.locator("#composer textarea").press("Enter")
    expect(root.locator("#notice")).to_contain_text("You are signed out")
    expect(root.locator("#composer textarea")).to_have_value("Still mine")
