"""What one may do with a thread itself, with a script and without one."""

import re

import pytest
from django.test import Client

from artifacts.models import Event
from tests.artifacts.web.people import Team, browser, document
from tests.threads.web.turns import asks, thread_with, turn
from threads.core import events
from threads.models import Focus, Thread

COMMANDS: list[tuple[str, dict[str, str]]] = [
    ("title", {"title": "Another"}),
    ("mode", {"mode": "suggest"}),
    ("focus", {"artifact": "00000000-0000-0000-0000-000000000001", "followed": "no"}),
    ("archival", {"archived": "yes"}),
]


def page_of(client: Client, thread: Thread) -> str:
    return client.get(f"/threads/{thread.pk}/").content.decode()


def row(thread: Thread) -> Thread:
    return Thread.objects.get(pk=thread.pk)


@pytest.mark.parametrize(("name", "data"), COMMANDS)
def test_strangers_find_nothing_and_viewers_change_nothing(
    team: Team, name: str, data: dict[str, str]
) -> None:
    thread = thread_with(team.alice, team.workspace)
    head = Event.objects.count()
    for htmx in (False, True):
        assert browser(team.charlie, htmx=htmx).post(f"/threads/{thread.pk}/{name}/", data).status_code == 404
        vera = browser(team.vera, htmx=htmx).post(f"/threads/{thread.pk}/{name}/", data)
        assert vera.status_code in ((403, 404) if name == "focus" else (403,))
        assert "and not write" in vera.content.decode()
    assert Event.objects.count() == head
    assert browser(team.charlie).get(f"/threads/{thread.pk}/menu/").status_code == 404
    assert browser(team.charlie).get(f"/workspaces/{team.workspace}/archived/").status_code == 404


def test_a_viewer_may_only_download(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    menus = [
        page_of(browser(user), thread).partition('id="menu"')[2].partition('id="cursor"')[0]
        for user in (team.vera, team.bob)
    ]
    assert ["/file.md" in menu and "/file.json" in menu for menu in menus] == [True, True]
    assert [menu.count("<form") for menu in menus] == [0, menus[1].count("<form")]
    assert 'id="menu-rename"' in menus[1]


@pytest.mark.parametrize("htmx", [False, True])
def test_a_thread_is_renamed(team: Team, htmx: bool) -> None:  # noqa: FBT001 (pytest gives it by name)
    thread = thread_with(team.alice, team.workspace)
    answer = browser(team.bob, htmx=htmx).post(f"/threads/{thread.pk}/title/", {"title": "Green tea"})
    assert answer.status_code == (200 if htmx else 303)
    page = page_of(browser(team.alice), thread)
    assert '<h1 id="thread-title">Green tea</h1>' in page
    assert "named this thread “Green tea”" in page
    if htmx:
        assert 'value="Green tea"' in answer.content.decode()
        assert f"event-{Event.objects.order_by('-seq')[0].seq}" not in answer.content.decode()


@pytest.mark.parametrize("htmx", [False, True])
def test_a_title_that_does_not_fit_is_refused_in_words(team: Team, htmx: bool) -> None:  # noqa: FBT001 (as above)
    thread = thread_with(team.alice, team.workspace)
    answer = browser(team.bob, htmx=htmx).post(f"/threads/{thread.pk}/title/", {"title": " "})
    assert answer.status_code == 422
    assert "Is empty. Write something." in answer.content.decode()
    assert row(thread).title == "A thread"


def test_the_mode_is_switched_and_seen_by_everyone(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    bob = browser(team.bob)
    assert "The agent edits directly" in page_of(bob, thread)
    assert bob.post(f"/threads/{thread.pk}/mode/", {"mode": "suggest"}).status_code == 303
    assert "The agent suggests its changes" in page_of(browser(team.vera), thread)
    assert bob.post(f"/threads/{thread.pk}/mode/", {"mode": "nonsense"}).status_code == 422
    assert row(thread).mode == "suggest"


def test_artifacts_are_followed_and_dropped(team: Team) -> None:
    thread, tea = thread_with(team.alice, team.workspace), document(team.alice, team.workspace)
    bob = browser(team.bob, htmx=True)
    offered = bob.get(f"/threads/{thread.pk}/menu/").content.decode()
    assert f'<option value="{tea.pk}">Tea</option>' in offered
    focus = f"/threads/{thread.pk}/focus/"
    followed = bob.post(focus, {"artifact": tea.pk, "followed": "yes"}).content.decode()
    assert 'aria-label="Drop Tea"' in followed
    assert f'data-id="{tea.pk}"' in page_of(browser(team.alice), thread)
    dropped = bob.post(focus, {"artifact": tea.pk, "followed": "no"}).content.decode()
    assert "Nothing yet." in dropped
    assert not Focus.objects.exists()
    for data, status in (
        ({"artifact": "x", "followed": "yes"}, 404),
        ({"artifact": tea.pk}, 422),
        ({"artifact": tea.pk, "followed": "maybe"}, 422),
    ):
        assert bob.post(focus, data).status_code == status


def test_an_archived_thread_is_out_of_the_list_and_comes_back(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    request = asks(turn(thread), "Which?")
    bob = browser(team.bob)
    assert bob.post(f"/threads/{thread.pk}/archival/", {"archived": "yes"}).status_code == 303
    page = page_of(bob, thread)
    assert re.search(r'<p class="notice" id="thread-archived">', page)
    assert "archived this thread" in page
    assert "Bring it back" in page
    assert f'data-request="{request.pk}"' not in page
    assert f'<span class="name" id="thread-{thread.pk}-name">' not in page
    listed = bob.get(f"/workspaces/{team.workspace}/archived/").content.decode()
    assert f'<a href="/threads/{thread.pk}/">A thread</a>' in listed
    refused = bob.post(f"/threads/{thread.pk}/title/", {"title": "x"})
    assert refused.status_code == 409
    assert "This thread is archived." in refused.content.decode()
    assert bob.post(f"/threads/{thread.pk}/archival/", {"archived": "no"}).status_code == 303
    assert 'id="thread-archived" hidden' in page_of(bob, thread)


def test_a_notice_is_said_to_people_only(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    data = {"content": "between us", "message_id": "n", "notice": "yes"}
    sent = browser(team.bob, htmx=True).post(f"/threads/{thread.pk}/messages/", data)
    assert "message-sent" in sent["HX-Trigger"]
    assert Event.objects.filter(thread=thread.pk, type=events.NOTICE_POSTED).count() == 1
    page = page_of(browser(team.alice), thread)
    assert "to people only" in page
    assert "waiting for the agent" not in page
    refused = browser(team.bob).post(f"/threads/{thread.pk}/messages/", {**data, "content": "other"})
    assert refused.status_code == 409
    assert 'name="notice" value="yes" checked' in refused.content.decode()
