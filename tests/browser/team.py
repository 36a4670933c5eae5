"""A team in a served artifactr: Alice owns the workspace, Bob belongs to it, Root reviews; and what people do on pages."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from tests.services.browsing import People
from tests.services.served import Served

FOUND = """
import json
from django.contrib.auth.models import User
from artifacts.core.rules import EDITOR
from artifacts.members import add_member
names = {"alice": {}, "bob": {}, "charlie": {}, "root": {"is_superuser": True, "is_staff": True}}
users = {name: User.objects.create(username=name, **rights) for name, rights in names.items()}
workspace = str(users["alice"].memberships.get().workspace_id)
for name in ("bob", "root"):
    add_member(users["alice"], workspace, users[name], EDITOR)
print(json.dumps({"workspace": workspace}))
"""

# What a page shows of its transcript, without what is one viewer's alone: tokens, times in words, what is unfolded.
SHOWN = """() => {
  const copy = document.getElementById("transcript").cloneNode(true);
  for (const gone of copy.querySelectorAll("#live, .empty, input[type=hidden]")) gone.remove();
  for (const time of copy.querySelectorAll("time")) { time.textContent = ""; time.removeAttribute("title"); }
  for (const element of copy.querySelectorAll("*"))
    for (const { name, value } of [...element.attributes])
      if (name.startsWith("hx-") || ["open", "data-top", "nonce"].includes(name) || (name === "class" && !value.trim()))
        element.removeAttribute(name);
      else if (name === "class") element.className = value.replace(/ ?htmx-\\w+/g, "");
  return copy.innerHTML.replace(/\\s+/g, " ").replace(/> </g, ">\\n<").replace(/ </g, "<").replace(/> /g, ">");
}"""
EVENTS = (
    "() => [...document.querySelectorAll('#transcript [data-seq]')].map((event) => Number(event.dataset.seq))"
)


@dataclass(frozen=True)
class Team:
    """The people of a served artifactr."""

    served: Served
    people: People
    workspace: str

    def page(self, name: str, **options: Any) -> Page:
        """A signed-in window of somebody. Options are a browser context's."""
        return self.people.person(self.served.sign_in_link(name), **options)

    def begin(self, page: Page, words: str) -> str:
        """Begin a thread with a message; its address."""
        page.goto(f"{self.served.url}/threads/?workspace={self.workspace}")
        page.locator("#composer textarea").fill(words)
        page.locator("#composer textarea").press("Enter")
        page.wait_for_url("**/threads/*-*/")
        return page.url


def found(served: Served, people: People) -> Team:
    """The team, in Alice's workspace."""
    said = json.loads(served.manage("shell", "--no-imports", "-c", FOUND).splitlines()[-1])
    return Team(served, people, said["workspace"])


def say(page: Page, words: str) -> None:
    """Send a message."""
    page.locator("#composer textarea").fill(words)
    page.locator("#composer textarea").press("Enter")
    expect(page.locator("#composer textarea")).to_have_value("")


def stands(page: Page, status: str, seconds: float = 30) -> None:
    """Wait until the run stands so."""
    expect(page.locator("#run-status")).to_have_attribute("data-status", status, timeout=seconds * 1000)


def shown(page: Page) -> str:
    """The transcript as anybody sees it."""
    return str(page.evaluate(SHOWN))


def events(page: Page) -> list[int]:
    """The events of the transcript, in the order of the page."""
    return list(page.evaluate(EVENTS))


@contextmanager
def offline(page: Page) -> Iterator[None]:
    """The page's machine has no network."""
    page.context.set_offline(True)
    try:
        yield
    finally:
        page.context.set_offline(False)


def equals_a_fresh_page(page: Page, team: Team, name: str) -> None:
    """What was watched is what anybody gets who opens the page now, and nothing is there twice or out of order."""
    fresh = team.page(name)
    fresh.goto(page.url)
    seen = events(page)
    assert seen == sorted(set(seen)) == events(fresh)
    assert shown(page) == shown(fresh)
    fresh.context.close()
