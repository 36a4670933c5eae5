"""What a page is sent is never older than the events that come with it, whatever is written while it is read."""

from collections.abc import Callable
from functools import partial
from itertools import count
from uuid import uuid4

import pytest
from django.test import Client

from artifacts import log
from artifacts.models import Artifact
from tests.artifacts.web import people
from tests.artifacts.web.people import Team, document
from tests.meanwhile import At
from tests.shares import share
from tests.threads.web.turns import asks, ends, says, thread_with, turn
from threads.core.decisions import Answer
from threads.models import Thread
from threads.turns import answer, archive, drop_artifact, follow_artifact, post, rename, set_mode, stop
from threads.turns.saving import Turn
from threads.web import news
from threads.web.page import focused
from threads.web.standing import Standing, standing

pytestmark = pytest.mark.django_db(transaction=True)

type Happening = Callable[[], object]
type Read = tuple[int, Standing, list[Artifact]]
"""A page's place in the log, how the thread stands, and what it follows."""


type Kind = Callable[[Team, Thread], Happening]


def running(thread: Thread) -> Turn:
    work = turn(thread)
    says(work, "I begin")
    return work


def an_answer(team: Team, thread: Thread) -> Happening:
    request = asks(running(thread), "Which tea?")
    return partial(answer, team.alice, str(request.pk), Answer("Green"))


def a_stop(team: Team, thread: Thread) -> Happening:
    running(thread)
    return partial(stop, team.alice, str(thread.pk))


def an_artifact_more(team: Team, thread: Thread) -> Happening:
    return partial(follow_artifact, team.alice, str(thread.pk), str(document(team.alice, team.workspace).pk))


def an_artifact_less(team: Team, thread: Thread) -> Happening:
    id = str(document(team.alice, team.workspace).pk)
    follow_artifact(team.alice, str(thread.pk), id)
    return partial(drop_artifact, team.alice, str(thread.pk), id)


KINDS: dict[str, Kind] = {
    "a run begins": lambda team, thread: partial(turn, thread),
    "a run ends": lambda team, thread: partial(ends, running(thread)),
    "a run asks": lambda team, thread: partial(asks, running(thread), "Which tea?"),
    "an answer": an_answer,
    "a stop": a_stop,
    "a message": lambda team, thread: partial(post, team.alice, str(thread.pk), str(uuid4()), "And more"),
    "a name": lambda team, thread: partial(rename, team.alice, str(thread.pk), "Another name"),
    "a mode": lambda team, thread: partial(set_mode, team.alice, str(thread.pk), "suggest"),
    "an artifact more": an_artifact_more,
    "an artifact less": an_artifact_less,
    "an end": lambda team, thread: partial(archive, team.alice, str(thread.pk)),
}
"""What may happen in a thread in which Alice has said something."""


def before_each_query(kind: str, reading: Callable[[Team, Thread], Read], step: int = 1) -> int:
    """Something happens before each query of a reading, or each `step`th. Returns how many queries there are.

    Unless it is still to come to the page, what was read tells of it.
    """
    team = people.team()
    for number in count(step=step):
        thread = thread_with(team.alice, team.workspace, "Hello")
        at = At(number, KINDS[kind](team, thread))
        with at.reading():
            head, stands, follows = reading(team, thread)
        if not at.came:
            return number
        if head == log.head(team.workspace):
            now = Thread.objects.get(pk=thread.pk)
            assert stands == standing(now), f"before query {number}"
            assert follows == list(focused(now)), f"before query {number}"
    raise AssertionError


def news_of(team: Team, thread: Thread) -> Read:
    """What a page is sent that has everything but the newest event."""
    found = news.read(team.workspace, str(thread.pk), log.head(team.workspace) - 1)
    return found.head, found.standing, found.focus


def page_of(team: Team, thread: Thread) -> Read:
    """What somebody gets who opens the page."""
    client = Client()
    client.force_login(team.bob)
    shown = client.get(f"/threads/{thread.pk}/").context
    return shown["head"], shown["standing"], shown["followed"]


@pytest.mark.parametrize("kind", KINDS)
def test_news_are_not_older_than_the_events_with_which_they_come(kind: str) -> None:
    assert before_each_query(kind, news_of) >= 5


@pytest.mark.stress
@pytest.mark.parametrize("kind", ["a run begins", "a run ends", "an artifact more"])
def test_a_page_is_not_older_than_its_place_in_the_log(kind: str) -> None:
    assert before_each_query(kind, page_of, step=share(1, 4)) > 10


@pytest.mark.stress
def test_a_page_says_that_it_waits_together_with_what_it_waits_for() -> None:
    team = people.team()
    for number in count(step=share(1, 3)):
        thread = thread_with(team.alice, team.workspace, "Hello")
        at = At(number, KINDS["a run asks"](team, thread))
        with at.reading():
            shown = people.browser(team.bob).get(f"/threads/{thread.pk}/")
        if not at.came:
            return
        waits = shown.context["standing"].status == "paused"
        assert waits == ("Which tea?" in shown.context["things"]), f"before query {number}"
