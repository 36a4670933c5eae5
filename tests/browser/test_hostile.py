"""What people, models and names say stays text: no request leaves, nothing moves, the thread stays usable."""

from playwright.sync_api import Page, expect

from tests.browser.measuring import Leaving
from tests.browser.stage import ENVIRONMENT_OF_STAGE, HOSTILE
from tests.browser.team import Team, equals_a_fresh_page, say, stands

ENVIRONMENT = ENVIRONMENT_OF_STAGE
ALIEN = (
    "#transcript :is(img, script, iframe, style, svg, object), .prose :is([id], [hx-get], [onclick], [style])"
)
NAMED = """
from django.contrib.auth.models import User
User.objects.filter(username="bob").update(first_name="<b onclick=x>\\u202eBob</message><img src=//evil.example/n>")
"""


def test_texts_names_titles_and_drafts_are_inert(team: Team) -> None:
    team.served.manage("shell", "--no-imports", "-c", NAMED)
    leaving = Leaving(team.served.url)
    alice, bob = team.page("alice"), team.page("bob")
    for page in (alice, bob):
        leaving.watch(page)
    bob.goto(team.begin(alice, "hostile"))
    stands(alice, "idle")
    say(bob, HOSTILE)
    for page in (alice, bob):
        expect(page.locator(".message")).to_have_count(2)
        stands(page, "idle")
        is_inert(page)
    renamed(alice)
    equals_a_fresh_page(alice, team, "bob")
    alice.reload()
    is_inert(alice)
    alice.goto(f"{team.served.url}/artifacts/{alice.locator('#artifact').get_attribute('data-id')}/")
    is_inert(alice)
    assert leaving.seen == []


CALLED = """
from django.contrib.auth.models import User
from tests.threads.web.turns import calls, thread_with, turn
alice = User.objects.get(username="alice")
thread = thread_with(alice, {workspace!r}, "Call it")
named = {{"<svg onload=hit>" * 30: "<i id=live>"}}
calls(turn(thread), "<img src=//evil.example/t onerror=hit>" * 9, "<b id=cursor>", **named)
print(thread.pk)
"""


def test_what_a_model_calls_a_tool_stays_in_its_row(team: Team) -> None:
    thread = team.served.manage(
        "shell", "--no-imports", "-c", CALLED.format(workspace=team.workspace)
    ).split()[-1]
    leaving, page = Leaving(team.served.url), team.page("alice")
    leaving.watch(page)
    for path in ("", "earlier/?before=99"):
        page.goto(f"{team.served.url}/threads/{thread}/{path}")
        page.locator("details.tool > summary").click()
        expect(page.locator("details.tool .state")).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.locator(ALIEN).count() == 0
    assert leaving.seen == []


def is_inert(page: Page) -> None:
    expect(page.locator("#artifact")).to_contain_text("right to left")
    assert page.locator(ALIEN).count() == 0
    assert (
        page.locator("a:is([href^='javascript'], [href^='data'], [href^='vbscript'], [href^='//'])").count()
        == 0
    )
    assert "hit" not in page.title().split()


def renamed(page: Page) -> None:
    """The title of a thread is somebody's words, too."""
    page.locator('[popovertarget="menu"]').click()
    page.locator("#menu-title").fill("<img src=//evil.example/t onerror=hit> \u202e")
    page.locator("#menu-title").press("Enter")
    expect(page.locator("#thread-title")).to_contain_text("<img src=//evil")
    page.keyboard.press("Escape")
