"""What is new to whom: the line in the thread, the marks in the list of threads, search and permalinks."""

import re
import uuid

import pytest
from django.test import Client

from artifacts.core.rules import EDITOR
from artifacts.members import add_member
from artifacts.models import Event
from tests.artifacts.web.people import Team, browser, document
from tests.threads.web.turns import ends, says, thread_with, turn
from threads.models import Sight, Thread
from threads.templatetags import sidebar
from threads.turns import post, rename


def page(client: Client, thread: Thread) -> str:
    return client.get(f"/threads/{thread.pk}/").content.decode()


def unread(client: Client, team: Team) -> list[str]:
    html = client.get(f"/workspaces/{team.workspace}/threads/").content.decode()
    return re.findall(r'<a id="thread-([\w-]+)"[^>]* data-unread', html)


def say(team: Team, thread: Thread, words: str) -> int:
    return post(team.alice, str(thread.pk), str(uuid.uuid4()), words).seq


def test_a_line_stands_above_the_first_thing_that_others_said_since(team: Team) -> None:
    thread, bob = thread_with(team.alice, team.workspace, "One"), browser(team.bob)
    assert 'id="since"' not in page(bob, thread)
    assert 'id="since"' not in page(bob, thread)
    post(team.bob, str(thread.pk), "m", "My own")
    new = say(team, thread, "Two")
    say(team, thread, "Three")
    assert re.search(rf'id="since">[^<]*</p><article class="message" id="event-{new}"', page(bob, thread))
    assert 'id="since"' not in page(bob, thread)


def test_the_list_marks_what_is_new_to_its_reader(team: Team) -> None:
    thread, bob = thread_with(team.alice, team.workspace, "One"), browser(team.bob)
    assert unread(bob, team) == [str(thread.pk)]
    assert unread(browser(team.alice), team) == []
    page(bob, thread)
    assert unread(bob, team) == []
    rename(team.alice, str(thread.pk), "Another name")
    assert unread(bob, team) == []
    work = turn(thread)
    says(work, "An answer")
    ends(work)
    assert unread(bob, team) == unread(browser(team.alice), team) == [str(thread.pk)]


def test_a_long_list_says_where_older_threads_are_found(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sidebar, "MANY", 2)
    threads = [thread_with(team.alice, team.workspace, words) for words in ("One", "Two")]
    assert "older threads" not in page(browser(team.alice), threads[0])
    threads.append(thread_with(team.alice, team.workspace, "Three"))
    html = page(browser(team.alice), threads[1])
    assert re.findall(r'id="thread-([\w-]+)" href', html) == [str(threads[2].pk), str(threads[1].pk)]
    assert f'href="/workspaces/{team.workspace}/search/">Search for older threads' in html


def test_the_thread_that_is_open_is_listed_however_old_it_is(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sidebar, "MANY", 2)
    threads = [thread_with(team.alice, team.workspace, words) for words in ("One", "Two", "Three", "Four")]
    oldest, alice = str(threads[0].pk), browser(team.alice)
    listed = f"/workspaces/{team.workspace}/threads/?current="
    newest = [str(thread.pk) for thread in (threads[3], threads[2])]
    for html in (page(alice, threads[0]), alice.get(listed + oldest).content.decode()):
        assert re.findall(r'id="thread-([\w-]+)" href', html) == [*newest, oldest]
        assert re.search(rf'id="thread-{oldest}" href="[^"]+" aria-current="page"', html)
    for nonsense in ("", "nonsense", "%00", str(team.alice.memberships.get().pk)):
        html = alice.get(listed + nonsense).content.decode()
        assert re.findall(r'id="thread-([\w-]+)" href', html) == newest


def test_what_was_said_before_one_joined_is_not_news(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "One")
    add_member(team.alice, team.workspace, team.charlie, EDITOR)
    assert unread(browser(team.charlie), team) == []
    say(team, thread, "Two")
    assert unread(browser(team.charlie), team) == [str(thread.pk)]


def test_a_page_says_how_much_was_seen_and_never_less_or_more(team: Team) -> None:
    thread, bob = thread_with(team.alice, team.workspace, "One"), browser(team.bob, htmx=True)
    head = Event.objects.order_by("-seq")[0].seq
    for seq, kept in ((head, head), (1, head), (head + 1000, head)):
        assert bob.post(f"/threads/{thread.pk}/sight/", {"seq": seq}).status_code == 204
        assert Sight.objects.get(user=team.bob).seq == kept
    assert bob.post(f"/threads/{thread.pk}/sight/", {"seq": "all"}).status_code == 422
    assert (
        browser(team.charlie, htmx=True).post(f"/threads/{thread.pk}/sight/", {"seq": 1}).status_code == 404
    )


def test_a_permalink_leads_to_an_event_wherever_it_is(team: Team) -> None:
    thread, bob = thread_with(team.alice, team.workspace, "One"), browser(team.bob)
    first = Event.objects.get(type="message_posted").seq
    assert bob.get(f"/threads/{thread.pk}/?at={first}").status_code == 200
    rows = [
        Event(
            workspace_id=thread.workspace_id,
            thread=thread.pk,
            seq=first + 1 + number,
            type="notice_posted",
            at=thread.created_at,
            actor_kind="user",
            actor_name="alice",
            data={"content": "x", "message_id": str(number)},
        )
        for number in range(200)
    ]
    Event.objects.bulk_create(rows)
    thread.workspace.head = first + 200
    thread.workspace.save()
    answer = bob.get(f"/threads/{thread.pk}/?at={first}")
    assert answer["Location"].endswith(f"#event-{first}")
    assert f'id="event-{first}"' in bob.get(answer["Location"]).content.decode()
    assert bob.get(f"/threads/{thread.pk}/?at=nowhere").status_code == 200


def test_a_search_finds_threads_what_was_said_and_documents(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "The Änderung of <b>green</b> tea")
    rename(team.alice, str(thread.pk), "Tea for two")
    tea, bob = document(team.alice, team.workspace), browser(team.bob)

    def found(words: str) -> str:
        return (
            bob.get(f"/workspaces/{team.workspace}/search/", {"q": words})
            .content.decode()
            .partition("<main")[2]
        )

    html = found("Änderung TEA")
    assert f'href="/threads/{thread.pk}/?at={Event.objects.get(type="message_posted").seq}#event-' in html
    assert "<mark>Änderung</mark> of &lt;b&gt;green&lt;/b&gt; tea" in html
    assert "Tea for two</a> <span" in found("two")
    assert f"/artifacts/{tea.pk}/" in found("black")
    assert "Nothing holds all of this" in found("coffee")
    assert "Words in the title" in found("  ")
    stranger = browser(team.charlie).get(f"/workspaces/{team.workspace}/search/?q=tea")
    assert stranger.status_code == 404
