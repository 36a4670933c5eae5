"""Messages taken back, runs tried again, and what a stop does with what waits."""

import re

from django.test import Client

from artifacts.models import Event
from tests.artifacts.web.people import Team, browser
from tests.threads.web.turns import ends, thread_with, turn
from threads.core import events
from threads.models import Run, Thread
from threads.turns import post


def page_of(client: Client, thread: Thread) -> str:
    return client.get(f"/threads/{thread.pk}/").content.decode()


def last(thread: Thread, type: str) -> Event:
    return Event.objects.filter(thread=thread.pk, type=type).order_by("-seq")[0]


def test_an_author_gets_the_form_that_takes_a_message_back_and_nobody_else(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    path = f"/threads/{thread.pk}/messages/{last(thread, events.MESSAGE_POSTED).seq}/withdrawal/"
    assert f'<form method="post" action="{path}"' in page_of(browser(team.alice), thread)
    assert path not in page_of(browser(team.bob), thread)
    assert browser(team.bob).get(path).content == b""
    assert b"Withdraw" in browser(team.alice).get(path).content
    assert browser(team.charlie).get(path).status_code == 404
    assert browser(team.charlie).post(path).status_code == 404
    assert browser(team.vera).post(path).status_code == 403
    assert browser(team.bob, htmx=True).post(path).status_code == 403
    assert browser(team.alice).post(path).status_code == 303
    page = page_of(browser(team.bob), thread)
    assert "withdrawn: the agent never had it" in page
    assert path not in page_of(browser(team.alice), thread)


def test_a_message_that_the_agent_has_stays(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    path = f"/threads/{thread.pk}/messages/{last(thread, events.MESSAGE_POSTED).seq}/withdrawal/"
    turn(thread)
    assert browser(team.alice).get(path).content == b""
    for htmx in (False, True):
        refused = browser(team.alice, htmx=htmx).post(path)
        assert refused.status_code == 409
        assert "The agent has this message already." in refused.content.decode()
    assert browser(team.alice).post(path.replace("/messages/", "/messages/9")).status_code == 404


def test_a_run_that_failed_is_tried_again_from_its_row(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    ends(turn(thread), "failed", "It broke.")
    run = Run.objects.get()
    path = f"/runs/{run.pk}/retry/"
    assert f'<form method="post" action="{path}"' in page_of(browser(team.bob), thread)
    assert path not in page_of(browser(team.vera), thread)
    assert browser(team.vera).get(path).content == b""
    assert browser(team.charlie).get(path).status_code == 404
    assert browser(team.charlie).post(path).status_code == 404
    assert browser(team.vera).post(path).status_code == 403
    assert browser(team.bob).post(path).status_code == 303
    page = page_of(browser(team.bob), thread)
    assert "asked to try again" in page
    assert path not in page
    assert re.search(r'id="run-status"[^>]*data-status="running"', page)
    for htmx in (False, True):
        refused = browser(team.alice, htmx=htmx).post(path)
        assert refused.status_code == 409
        assert "There is nothing to try again" in refused.content.decode()


def test_a_run_that_completed_offers_nothing(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    ends(turn(thread))
    assert "/retry/" not in page_of(browser(team.alice), thread)


def test_a_watched_row_asks_for_its_form_and_a_reloaded_one_has_it(team: Team) -> None:
    """Older rows, and other people's messages, ask for nothing."""
    thread = thread_with(team.alice, team.workspace, "Hello")
    ends(turn(thread), "failed", "It broke.")
    post(team.alice, str(thread.pk), "again", "Once more")
    assert (
        "hx-trigger" not in page_of(browser(team.alice), thread).split('id="things"')[1].split('id="live"')[0]
    )
    ends(turn(thread), "stopped")
    page = page_of(browser(team.bob), thread)
    assert page.count("/retry/") == 2  # the action of one form, for those with a script and those without


def test_a_stop_names_what_waits_and_offers_to_withdraw_it(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    turn(thread)
    post(team.bob, str(thread.pk), "more", "And this")
    bob = browser(team.bob, htmx=True)
    page = page_of(browser(team.bob), thread)
    assert (
        '<span id="stop-waiting" data-count="1">1 <span class="wide-only">waiting </span>message</span>'
        in page
    )
    offered = bob.post(f"/threads/{thread.pk}/stop/").content.decode()
    assert "1 message waited, and the agent answers it next." in offered
    assert bob.post(f"/threads/{thread.pk}/stop/", {"messages": "withdraw"}).content == b""
    assert last(thread, events.MESSAGE_WITHDRAWN).actor_id == str(team.bob.pk)
    assert 'data-count="0"' in page_of(browser(team.bob), thread)
    assert bob.post(f"/threads/{thread.pk}/stop/", {"messages": "burn"}).status_code == 422
