"""A team in a served artifactr: Alice owns the workspace, Bob belongs to it, Root reviews; and what they do there."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, Route, expect

from tests.services import session
from tests.services.browsing import People
from tests.services.served import Served, fresh_database

FOUND = """
import json
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from artifacts.core.rules import EDITOR
from artifacts.members import add_member
names = {"alice": {}, "bob": {}, "charlie": {}, "root": {"is_superuser": True, "is_staff": True}}
users = {name: User.objects.create(username=name, **rights) for name, rights in names.items()}
workspace = str(users["alice"].memberships.get().workspace_id)
for name in ("bob", "root"):
    add_member(users["alice"], workspace, users[name], EDITOR)
def session(user):
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY], session[BACKEND_SESSION_KEY] = str(user.pk), settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return session.session_key

sessions = {name: [session(user) for _ in range(32)] for name, user in users.items()}
from django.db import connection
connection.close()
print(json.dumps({"workspace": workspace, "sessions": sessions}))
"""

# What a page shows of its transcript, without what is one viewer's alone: tokens, times in words, what is unfolded.
SHOWN = """() => {
  const copy = document.getElementById("transcript").cloneNode(true);
  for (const gone of copy.querySelectorAll("#live, .empty, .since, input[type=hidden]")) gone.remove();
  for (const button of copy.querySelectorAll("[data-copies]")) button.hidden = true;
  for (const time of copy.querySelectorAll("time")) { time.textContent = ""; time.removeAttribute("title"); }
  for (const element of copy.querySelectorAll("*"))
    for (const { name, value } of [...element.attributes])
      if (name.startsWith("hx-") || ["open", "data-top", "nonce"].includes(name) || (name === "class" && !value.trim()))
        element.removeAttribute(name);
      else if (name === "class") element.className = value.replace(/ ?htmx-\\w+/g, "");
  return copy.innerHTML.replace(/\\s+/g, " ").replace(/> </g, ">\\n<").replace(/ </g, "<").replace(/> /g, ">");
}"""
PASTE = """(area, lines) => {
  const data = new DataTransfer();
  data.setData("text/plain", Array.from({ length: lines }, (_, n) => `line ${n} of a long text`).join("\\n"));
  area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
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
    sessions: dict[str, list[str]]

    def page(self, name: str, **options: Any) -> Page:
        """A window of somebody, in a session of its own. Options are a browser context's."""
        page = self.people.stranger(**options)
        key = self.sessions[name].pop()
        page.context.add_cookies([{"name": "sessionid", "value": key, "url": self.served.url}])
        return page

    def begin(self, page: Page, words: str) -> str:
        """Begin a thread with a message; its address."""
        page.goto(f"{self.served.url}/threads/?workspace={self.workspace}")
        page.locator("#composer textarea").fill(words)
        page.locator("#composer textarea").press("Enter")
        page.wait_for_url("**/threads/*-*/")
        return page.url


def with_team(kind: str, environment: Mapping[str, str] | None = None) -> tuple[Served, dict[str, Any]]:
    """A server, not started, on a database in which the team is; and its workspace, with sessions to come in with.

    The team is founded once a run: what each module of tests gets is a copy.
    """
    with session.turn(f"team-{kind}"):
        told = session.folder() / f"team-{kind}.json"
        if not told.exists():
            url = fresh_database(kind)
            said = Served(url).manage("shell", "--no-imports", "-c", FOUND).splitlines()[-1]
            told.write_text(
                json.dumps({"database": url.rpartition("/")[2].removesuffix(".sqlite3"), **json.loads(said)})
            )
        foundation = dict(json.loads(told.read_text()))
        template = foundation.pop("database")
        return Served(fresh_database(kind, template), environment=environment), foundation


def say(page: Page, words: str) -> None:
    """Send a message, and wait until it stands on the page: how the run stood before is then no longer shown."""
    messages = page.locator(".message")
    before = messages.count()
    page.locator("#composer textarea").fill(words)
    page.locator("#composer textarea").press("Enter")
    expect(page.locator("#composer textarea")).to_have_value("")
    expect(messages.nth(before)).to_be_attached()


def paste(area: Locator, lines: int) -> None:
    """Paste a long text."""
    area.evaluate(PASTE, lines)


def stands(page: Page, status: str, seconds: float = 30) -> None:
    """Wait until the run stands so."""
    expect(page.locator("#run-status")).to_have_attribute("data-status", status, timeout=seconds * 1000)


def ended(page: Page, runs: int) -> None:
    """Wait until the page shows the end of this many runs, and none that goes on."""
    expect(page.locator("[data-type=run_ended]")).to_have_count(runs, timeout=30_000)
    stands(page, "idle")


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


def held(page: Page, address: str) -> list[Route]:
    """What the page asks for there from now on: each waits until it is let go on (`continue_`), if ever."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    page.route(address, hold)
    return routes


def equals_a_fresh_page(page: Page, team: Team, name: str) -> None:
    """What was watched is what anybody gets who opens the page now, and nothing is there twice or out of order."""
    fresh = team.page(name)
    fresh.goto(page.url)
    seen = events(page)
    assert seen == sorted(set(seen)) == events(fresh)
    assert shown(page) == shown(fresh)
    fresh.context.close()
