"""Artifacts for tests of pages: made by Alice, and what people do on their pages."""

import json
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.team import Team

MAKE = """
from django.contrib.auth.models import User
from artifacts.core.commands import CreateArtifact
from artifacts.handle import Handle
handle = Handle.for_user(User.objects.get(username="alice"), {workspace!r})
print(handle.commit(CreateArtifact({kind!r}, {data!r})).artifact)
"""
TEXT = "Green tea.\n\nBlack tea.\n\nWhite tea.\n"


def made(team: Team, kind: str, data: dict[str, Any]) -> str:
    """A new artifact of Alice's; the address of its page."""
    words = MAKE.format(workspace=team.workspace, kind=kind, data=data)
    id = team.served.manage("shell", "--no-imports", "-c", words).split()[-1]
    return f"{team.served.url}/artifacts/{id}/"


def tea(team: Team, text: str = TEXT) -> str:
    """A document about tea; the address of its page."""
    return made(team, "document", {"title": "Tea", "text": text})


def picnic(team: Team) -> str:
    """A plan with three tasks; the address of its page."""
    names = (("a", "Bread"), ("b", "Tea"), ("c", "Rug"))
    return made(team, "plan", {"goal": "Picnic", "tasks": [{"id": id, "name": name} for id, name in names]})


def both_at(team: Team, address: str, **options: Any) -> tuple[Page, Page]:
    """Alice and Bob, each with the page open and connected."""
    pages = team.page("alice", **options), team.page("bob", **options)
    for page in pages:
        page.goto(address)
    for page, other in zip(pages, ("bob", "alice"), strict=True):
        expect(page.locator("#presence")).to_contain_text(f"{other} is here")
    return pages


def begin_edit(page: Page, old: str, new: str) -> None:
    """Open the form and replace some words in its text, without saving."""
    page.get_by_role("link", name="Edit", exact=True).click()
    area = page.locator("#edit-text")
    expect(area).to_be_visible()
    area.fill(area.input_value().replace(old, new))


def collided(team: Team, hers: str, his: str) -> tuple[Page, Page]:
    """Both begin to write other words for "Green tea"; Alice saves first, and Bob is shown both."""
    alice, bob = both_at(team, tea(team))
    begin_edit(alice, "Green tea", hers)
    begin_edit(bob, "Green tea", his)
    press(alice, "Save")
    reads(alice, 2, hers)
    press(bob, "Save")
    expect(bob.locator(".merge")).to_be_visible()
    return alice, bob


def press(page: Page, words: str) -> None:
    """Press a button by its words."""
    page.get_by_role("button", name=words, exact=True).click()


def reads(page: Page, version: int, *words: str) -> None:
    """The page shows this version, with these words, and nothing open beside it."""
    expect(page.locator("#artifact")).to_have_attribute("data-version", str(version))
    for said in words:
        expect(page.locator("#artifact .prose")).to_contain_text(said)


def typed(page: Page) -> dict[str, Any]:
    """What the browser keeps of what was typed."""
    stored = page.evaluate(
        "JSON.stringify(Object.entries(localStorage).filter(([key]) => key.startsWith('typed:')))"
    )
    return dict(json.loads(stored))
