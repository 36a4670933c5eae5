"""On the narrowest screen, or at 400%, nothing runs out of the page, however long one word of a name is."""

from playwright.sync_api import Page, expect

from tests.browser.artifacts import begin_edit, made, press
from tests.browser.team import Team, say, stands

NARROW = {"viewport": {"width": 320, "height": 640}}
WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
NAMED = """
from django.contrib.auth.models import User
from artifacts.invitations import invite
from artifacts.models import Workspace
User.objects.filter(username__in=["alice", "bob"]).update(first_name={word!r})
Workspace.objects.filter(pk={workspace!r}).update(name={word!r})
address = {word!r}[:30] + "@" + {word!r}[:30] + ".org"
print(invite(User.objects.get(username="alice"), {workspace!r}, address, "editor").token)
"""

# What one sees that goes beyond the page, and is not within something that scrolls or says that it is cut.
BEYOND = """() => [...document.querySelectorAll("body *")].filter((element) => {
  const { left, right, width } = element.getBoundingClientRect();
  if (!element.checkVisibility() || element.closest(".sr-only, .skip") || !width) return false;
  if (left >= innerWidth || right <= innerWidth + 1) return false;
  for (let around = element.parentElement; around; around = around.parentElement) {
    const { overflowX, textOverflow } = getComputedStyle(around);
    if ((overflowX === "auto" && around.matches(".tabs, .wide, pre")) || textOverflow === "ellipsis") return false;
  }
  return true;
}).map((element) => element.outerHTML.slice(0, 100))"""


def fits(page: Page) -> None:
    """Nothing goes beyond the page."""
    assert page.evaluate(BEYOND) == [], page.url


def test_one_long_word_is_broken_or_cut_wherever_a_name_stands(team: Team) -> None:
    said = team.served.manage(
        "shell", "--no-imports", "-c", NAMED.format(word=WORD, workspace=team.workspace)
    )
    address = made(team, "document", {"title": WORD, "text": f"Green tea.\n\n{WORD}\n"})
    alice, bob = team.page("alice", **NARROW), team.page("bob", **NARROW)
    bob.goto(address)
    begin_edit(bob, "Green", WORD)
    alice.goto(address)
    expect(alice.locator("#presence")).to_contain_text("is editing")
    fits(alice)
    press(bob, "Suggest instead")
    alice.locator(".waiting a").click()
    expect(alice.locator(".proposal ins")).to_be_visible()
    fits(alice)
    for rest in ("proposals/", "revisions/", "publications/", "form/"):
        alice.goto(address + rest)
        fits(alice)
    for rest in ("", "members/", "members/2/", "archived/", f"search/?q={WORD}"):
        alice.goto(f"{team.served.url}/workspaces/{team.workspace}/{rest}")
        fits(alice)
    for rest in ("/profile/", "/artifacts/", "/nothing/", f"/invitations/{said.split()[-1]}/"):
        alice.goto(f"{team.served.url}{rest}")
        fits(alice)
    stranger = team.people.stranger(**NARROW)
    stranger.goto(f"{team.served.url}/invitations/{said.split()[-1]}/")
    fits(stranger)
    bob.goto(team.begin(alice, WORD))
    stands(alice, "idle")
    say(alice, "ask me")
    stands(alice, "paused")
    fits(alice)
    bob.locator("form[data-kind=question] label").first.click()
    bob.locator("form[data-kind=question] button").click()
    stands(alice, "idle")
    alice.evaluate("for (const one of document.querySelectorAll('#things details')) one.open = true")
    fits(alice)
    alice.locator("[popovertarget=menu]").click()
    expect(alice.locator("#menu-artifact")).to_be_visible()
    fits(alice)


# How far something stands from where the title begins, and how far the title stands from the middle of its bar.
UNDER = """(place) => {
  const [title, under] = ["#thread-title", place].map((one) => document.querySelector(one).getBoundingClientRect());
  return Math.abs(under.left - title.left);
}"""
OFF = """() => {
  const places = ["#thread-title", ".main > .bar"];
  const [title, bar] = places.map((place) => document.querySelector(place).getBoundingClientRect());
  return Math.abs(title.top + title.bottom - bar.top - bar.bottom) / 2;
}"""


def test_on_a_phone_what_the_agent_does_and_who_is_here_stand_under_the_title(team: Team) -> None:
    alice, bob = team.page("alice", **NARROW), team.page("bob")
    team.begin(alice, "ask me")
    stands(alice, "paused")
    assert alice.evaluate(UNDER, "#run-status") < 1
    bob.goto(alice.url)
    expect(alice.locator("#here li:not([hidden])")).to_be_visible()
    assert alice.evaluate(UNDER, "#run-status") < 1
    alice.locator("form[data-kind=question] label").first.click()
    alice.locator("form[data-kind=question] button").click()
    stands(alice, "idle")
    assert alice.evaluate(UNDER, "#here") < 1
    bob.goto("about:blank")
    expect(alice.locator("#here li:not([hidden])")).to_have_count(0)
    assert alice.evaluate(OFF) < 1.5


# At which end of its line a paragraph's first letter stands.
STANDS = """(paragraph) => {
  const first = document.createRange();
  first.setStart(paragraph.firstChild, 0);
  first.setEnd(paragraph.firstChild, 1);
  const { left, right } = paragraph.getBoundingClientRect();
  return first.getBoundingClientRect().left - left < right - first.getBoundingClientRect().right ? "left" : "right";
}"""
ARABIC = "مرحبا، هذه رسالة"


def test_each_paragraph_runs_in_the_direction_of_its_first_letter(team: Team) -> None:
    page = team.page("alice")
    team.begin(page, f"{ARABIC} **tea**\n\nAnd tea")
    stands(page, "idle")
    arabic, english = page.locator(".message .prose p").all()[:2]
    assert [arabic.evaluate(STANDS), english.evaluate(STANDS)] == ["right", "left"]
