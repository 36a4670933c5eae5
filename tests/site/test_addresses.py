"""Every address that there is, tried by those whom it does not concern, and by a reader, who may change nothing."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from artifacts.core.commands import PublishArtifact
from artifacts.core.rules import EDITOR
from artifacts.handle import Handle
from artifacts.invitations import invite
from artifacts.members import add_member, remove_member
from artifacts.models import Event
from tests.artifacts.web import people
from tests.artifacts.web.people import Team, browser, document, edit, plan, propose
from tests.threads.web.turns import asks, asks_leave, calls, ends, thread_with, turn
from threads.models import Thread

SECRET = "Quicksilver"
OPEN = {None, "sign-in", "sign-out", "sign-in-by-link", "password-forgotten", "password-sent", "publication"}
OPEN |= {"password_reset_confirm", "invitation", "acceptance", "newcomer-account"}
"""What is for everybody, or for whoever has the link; without a name, the icon and the other door to the sign-in."""

OWN = {"home", "profile", "password", "artifacts", "threads", "waiting", "workspaces"}
"""What everybody who is signed in has of their own."""

FORM = dict(
    parse_qsl(
        "content=x&message_id=x&text=x&title=x&name=x&reason=x&task=a&base=2&version=2&step=done&intent=save"
        "&decision=approve&role=owner&username=charlie&email=c@example.org&kind=document&mode=suggest&seq=1"
        "&archived=yes&followed=no&state=archived&editing=yes&messages=withdraw"
    )
)
"""What any of the forms would take."""


@pytest.fixture
def team(db: None) -> Team:
    return people.team()


def everything(team: Team) -> dict[str, list[Any]]:
    """One of each thing that an address may name, with a secret in its words; by the name in the address."""
    paper = document(team.alice, team.workspace, SECRET, SECRET)
    edit(team.alice, paper, f"{SECRET} again")
    handle = Handle.for_user(team.alice, team.workspace)
    approval, question = turn(_thread(team)), turn(_thread(team))
    calls(approval, "create_artifact", SECRET, kind=SECRET)
    requests = [asks_leave(approval, "launch", text=SECRET), asks(question, SECRET, "a", "b")]
    failed, waiting = turn(_thread(team)), _thread(team)
    ends(failed, "failed", SECRET)
    invited = invite(team.alice, team.workspace, "x@example.org", EDITOR)
    return {
        "artifact_id": [paper.pk, plan(team.alice, team.workspace).pk],
        "ending": ["md", "json"],
        "invitation_id": [invited.invitation.pk],
        "proposal_id": [propose(team.alice, paper, SECRET, SECRET)],
        "publication_id": [handle.commit(PublishArtifact(str(paper.pk), 1)).publication],
        "request_id": [row.pk for row in requests],
        "run_id": [failed.claimed.run],
        "seq": [Event.objects.get(thread=waiting.pk, type="message_posted").seq],
        "thread_id": [waiting.pk],
        "token": ["x"],
        "uidb64": ["x"],
        "user_id": [team.bob.pk],
        "version": [1],
        "workspace_id": [team.workspace],
    }


def _thread(team: Team) -> Thread:
    return thread_with(team.alice, team.workspace, SECRET)


def addresses(things: dict[str, list[Any]]) -> Iterator[tuple[str | None, str]]:
    """Every address of ours with its name, for each of the things that it may be about."""
    for route, pattern in _patterns(get_resolver(), "/"):
        names = list(pattern.pattern.converters)
        for chosen in product(*(things[name] for name in names)):
            named = dict(zip(names, chosen, strict=True))
            yield pattern.name, re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(named[found[1]]), route)  # noqa: B023


def _patterns(resolver: URLResolver, lead: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        route = f"{lead}{pattern.pattern}"
        if isinstance(pattern, URLPattern):
            yield route, pattern
        elif pattern.namespace != "admin":
            yield from _patterns(pattern, route)


def changed_by(client: Client, path: str, team: Team) -> tuple[int, bool]:
    """The status of a form that is posted there, and whether anything is in the log for it."""
    before = Event.objects.count()
    status = client.post(path, {**FORM, "workspace": team.workspace}).status_code
    return status, Event.objects.count() != before


def test_who_does_not_belong_finds_nothing_anywhere_and_changes_nothing(team: Team) -> None:
    things = everything(team)
    gone, lame = (User.objects.create_user(name) for name in ("gone", "lame"))
    for user in (gone, lame):
        add_member(team.alice, team.workspace, user, EDITOR)
    outside = {
        "nobody": browser(),
        "charlie": browser(team.charlie),
        "gone": browser(gone),
        "lame": browser(lame),
    }
    remove_member(team.alice, team.workspace, gone)
    User.objects.filter(pk=lame.pk).update(is_active=False)
    for (who, client), (name, path) in product(outside.items(), list(addresses(things))):
        shown = client.get(path, {"q": SECRET})
        assert SECRET not in shown.content.decode() or name == "publication", (who, path)
        status, changed = changed_by(client, path, team)
        assert not changed, (who, path)
        if name not in OPEN and not (name in OWN and who in ("charlie", "gone")):
            assert {shown.status_code, status} <= {302, 401, 404, 405}, (who, path)


def test_a_reader_changes_nothing_anywhere(team: Team) -> None:
    vera = browser(team.vera)
    for name, path in addresses(everything(team)):
        if name not in OPEN:
            assert not changed_by(vera, path, team)[1], path


def test_a_page_that_names_no_icon_has_one() -> None:
    answer = browser().get("/favicon.ico")
    assert answer.status_code == 302
    assert answer["Location"].startswith("/static/icon")
