"""The thread page as the server makes it: the contract, whom it lets in, and its forms without JavaScript."""

import re
from html import unescape
from unittest.mock import patch

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from artifacts.models import Artifact, Event
from tests.artifacts.web.people import Team, browser, document
from tests.threads.web.turns import asks, asks_leave, calls, ends, says, thread_with, turn
from threads.models import Thread


def page_of(client: Client, thread: Thread) -> str:
    return client.get(f"/threads/{thread.pk}/").content.decode()


def test_every_event_is_there_exactly_once_and_in_order(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Write about tea")
    work = turn(thread)
    says(work, "I **do**.", thinking="Hm.")
    calls(work, "create_artifact", "Created", kind="document")
    says(work, "")
    ends(work)
    page = page_of(browser(team.bob), thread)
    shown = re.findall(r'id="event-(\d+)" data-seq="(\d+)" data-type="(\w+)"', page)
    rows = Event.objects.filter(thread=thread.pk).order_by("seq")
    assert [(int(id), int(seq), type) for id, seq, type in shown] == [(e.seq, e.seq, e.type) for e in rows]


def test_the_contract_of_the_page(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    page = page_of(browser(team.alice), thread)
    assert '<form id="composer" method="post"' in page
    assert '<textarea name="content"' in page
    assert '<form id="stop" method="post"' in page
    assert 'id="transcript"' in page
    assert re.search(r'id="run-status"[^>]*data-status="idle"', page)
    assert f'data-socket="/ws/threads/{thread.pk}/"' in page
    head = Event.objects.order_by("-seq")[0].seq
    assert f'<i id="cursor" data-seq="{head}" hidden>' in page


def test_nothing_on_the_page_is_inline(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello <b onclick=x>")
    asks(turn(thread), "Which?", "green", "black")
    page = page_of(browser(team.alice), thread)
    assert not re.search(r"<[^>]*\s(style|on\w+)=", page)
    assert not re.search(r"<script(?![^>]* src=)", page)


def test_a_stranger_finds_nothing_and_changes_nothing(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    request = asks(turn(thread), "Which?")
    head = Event.objects.filter(thread=thread.pk).count()
    charlie = browser(team.charlie)
    for name in ("thread", "earlier"):
        assert charlie.get(reverse(name, args=[thread.pk])).status_code == 404
    assert charlie.get(f"/threads/{thread.pk}/events/{request.seq}/").status_code == 404
    assert charlie.get(f"/requests/{request.pk}/form/").status_code == 404
    for path, data in (
        (f"/threads/{thread.pk}/messages/", {"content": "x", "message_id": "1"}),
        (f"/threads/{thread.pk}/stop/", {}),
        (f"/requests/{request.pk}/answer/", {"text": "x"}),
        ("/threads/", {"workspace": team.workspace, "content": "x"}),
    ):
        assert charlie.post(path, data).status_code == 404
    assert Event.objects.filter(thread=thread.pk).count() == head
    assert b"A thread" not in charlie.get("/threads/").content


@pytest.mark.parametrize("number", ["", "x", "²", "-1", "9" * 19, "9" * 5_000])
def test_a_place_in_the_log_that_is_none_is_not_found(team: Team, number: str) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    for client in (browser(team.alice), browser(team.alice, htmx=True)):
        assert client.get(f"/threads/{thread.pk}/earlier/", {"before": number}).status_code == 404
        assert client.get(f"/threads/{thread.pk}/", {"at": number}).status_code == 200


def test_a_token_is_needed_to_change_anything(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    client = Client(enforce_csrf_checks=True)
    client.force_login(team.alice)
    assert client.post(f"/threads/{thread.pk}/messages/", {"content": "x"}).status_code == 403


def test_a_thread_begins_with_its_first_message(team: Team) -> None:
    content = "Please write the minutes of our meeting on Monday, all of them"
    answer = browser(team.bob).post("/threads/", {"workspace": team.workspace, "content": content})
    thread = Thread.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/threads/{thread.pk}/")
    assert thread.title == "Please write the minutes of our meeting on…"
    assert content in page_of(browser(team.alice), thread)


def test_a_beginning_that_is_sent_twice_begins_one_thread(team: Team) -> None:
    form = {"workspace": team.workspace, "content": "Hello", "message_id": "one"}
    first, again = (browser(team.bob).post("/threads/", form) for _ in range(2))
    assert first["Location"] == again["Location"]
    assert Thread.objects.count() == 1
    assert Event.objects.filter(type="message_posted").count() == 1
    other = browser(team.bob).post("/threads/", {**form, "content": "Something else"})
    assert other.status_code == 409
    assert "Something else" in other.content.decode()
    browser(team.alice).post("/threads/", form)
    assert Thread.objects.count() == 2, "an id is its author's own"


def test_a_beginning_whose_message_is_not_taken_begins_nothing(team: Team) -> None:
    form = {"workspace": team.workspace, "content": "Hello", "message_id": "one"}
    client = browser(team.bob)
    client.raise_request_exception = False
    with patch("threads.turns.creating.post", side_effect=OperationalError("gone")):
        assert client.post("/threads/", form).status_code == 503
    assert not Thread.objects.exists()
    assert not Event.objects.filter(type="thread_created").exists()
    assert client.post("/threads/", form).status_code == 303


def test_a_paste_that_the_thread_cannot_follow_makes_no_document(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Hello")
    form = {"title": "Long", "text": "A line\n" * 600}
    client = browser(team.bob)
    client.raise_request_exception = False
    with patch("threads.web.pasting.follow_artifact", side_effect=OperationalError("gone")):
        assert client.post(f"/threads/{thread.pk}/documents/", form).status_code == 503
    assert not Artifact.objects.exists()
    assert client.post(f"/threads/{thread.pk}/documents/", form).status_code == 303
    assert Artifact.objects.get().title == "Long"


def test_home_leads_to_the_latest_thread_or_to_where_one_begins(team: Team) -> None:
    assert browser(team.alice).get("/")["Location"] == "/threads/"
    thread = thread_with(team.alice, team.workspace)
    assert browser(team.bob).get("/")["Location"] == f"/threads/{thread.pk}/"


def test_a_message_without_script_is_posted_and_waits_for_the_agent(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    data = {"content": "Hello\r\nthere", "message_id": "one"}
    client = browser(team.bob)
    assert client.post(f"/threads/{thread.pk}/messages/", data).status_code == 303
    assert client.post(f"/threads/{thread.pk}/messages/", data).status_code == 303
    assert [event.data["content"] for event in Event.objects.filter(type="message_posted")] == [
        "Hello\nthere"
    ]
    assert "waiting for the agent" in page_of(client, thread)
    turn(thread)
    assert "waiting for the agent" not in page_of(client, thread)


def test_a_refused_message_keeps_its_text(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    client = browser(team.bob)
    client.post(f"/threads/{thread.pk}/messages/", {"content": "One", "message_id": "one"})
    answer = client.post(f"/threads/{thread.pk}/messages/", {"content": "Two", "message_id": "one"})
    page = answer.content.decode()
    assert answer.status_code == 409
    assert ">\nTwo</textarea>" in page
    assert "Another message was sent with this form" in page
    assert 'name="message_id" value="one"' not in page


def test_a_script_is_told_the_next_message_id_and_never_an_event(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    client = browser(team.bob, htmx=True)
    sent = client.post(f"/threads/{thread.pk}/messages/", {"content": "One", "message_id": "one"})
    assert sent.content == b""
    assert '"message-sent": {"next": "' in sent["HX-Trigger"]
    again = client.post(f"/threads/{thread.pk}/messages/", {"content": "Two", "message_id": "one"})
    assert again.status_code == 409
    assert '"message-refused": {"next": "' in again["HX-Trigger"]
    empty = client.post(f"/threads/{thread.pk}/messages/", {"content": " ", "message_id": "two"})
    assert empty.status_code == 422


def test_a_script_whose_login_expired_gets_401(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    assert browser(htmx=True).post(f"/threads/{thread.pk}/messages/", {"content": "x"}).status_code == 401


def test_a_reader_has_no_composer_and_may_not_post(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace)
    assert 'id="composer"' not in page_of(browser(team.vera), thread)
    answer = browser(team.vera).post(f"/threads/{thread.pk}/messages/", {"content": "x", "message_id": "x"})
    assert answer.status_code == 403


def test_a_question_is_answered_by_a_choice_or_in_words(team: Team) -> None:
    for data, said in (({"choice": "green"}, "green"), ({"choice": "green", "text": " blue "}, "blue")):
        thread = thread_with(team.alice, team.workspace, "Ask me")
        request = asks(turn(thread), "Which colour?", "green", "black")
        page = page_of(browser(team.bob), thread)
        assert f'data-request="{request.pk}" data-kind="question"' in page
        assert "Sending answers 1 question" in page
        answer = browser(team.bob).post(f"/requests/{request.pk}/answer/", data)
        assert answer.status_code == 303
        page = page_of(browser(team.alice), thread)
        assert f"<strong>bob</strong> answered: <span>{said}</span>" in page
        assert "data-request=" not in page


def test_an_answer_in_no_words_is_refused_where_it_was_given(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Ask me")
    request = asks(turn(thread), "Which colour?")
    answer = browser(team.bob).post(f"/requests/{request.pk}/answer/", {"text": " "})
    assert answer.status_code == 422
    assert '<p class="error">Is empty. Write something.</p>' in answer.content.decode()


def test_the_second_answer_is_told_who_was_first(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Ask me")
    request = asks(turn(thread), "Which colour?")
    browser(team.bob).post(f"/requests/{request.pk}/answer/", {"text": "green"})
    late = browser(team.alice, htmx=True).post(f"/requests/{request.pk}/answer/", {"text": "black"})
    assert late.status_code == 409
    assert "already answered by bob" in late.content.decode()


def test_a_reviewer_gets_the_approval_and_others_see_for_whom_it_waits(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Publish")
    request = asks_leave(turn(thread), "publish_artifact", path="/tmp/<x>", deep={"a": [1]})
    for user in (team.alice, team.vera):
        page = page_of(browser(user), thread)
        assert "data-request=" not in page
        assert "Only a reviewer may decide this" in page
    page = page_of(browser(team.rob), thread)
    assert f'data-request="{request.pk}" data-kind="approval"' in page
    assert "/tmp/&lt;x&gt;" in page
    assert "<dt>deep › a</dt><dd>[\n  1\n]</dd>" in unescape(page)
    assert (
        browser(team.alice).post(f"/requests/{request.pk}/answer/", {"decision": "approve"}).status_code
        == 403
    )
    answer = browser(team.rob).post(
        f"/requests/{request.pk}/answer/", {"decision": "decline", "reason": "Not yet"}
    )
    assert answer.status_code == 303
    assert "<strong>rob</strong> declined: <span>Not yet</span>" in page_of(browser(team.alice), thread)


def test_what_changed_since_it_was_shown_is_not_approved_unseen(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    thread = thread_with(team.alice, team.workspace, "Publish")
    request = asks_leave(turn(thread), "publish_artifact", artifact=str(tea.pk), version=1)
    rob = browser(team.rob)
    assert f'name="version-{tea.pk}" value="1"' in page_of(rob, thread)
    browser(team.bob).post(f"/artifacts/{tea.pk}/revisions/", {"base": 1, "text": "New"})
    data = {"decision": "approve", f"version-{tea.pk}": "1"}
    refused = rob.post(f"/requests/{request.pk}/answer/", data)
    page = refused.content.decode()
    assert refused.status_code == 409
    assert "changed since this was shown to you" in page
    assert f'name="version-{tea.pk}" value="2"' in page
    assert "your decision is about version 2" in page
    data[f"version-{tea.pk}"] = "2"
    assert rob.post(f"/requests/{request.pk}/answer/", data).status_code == 303


def test_a_decision_that_says_neither_is_refused(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Publish")
    request = asks_leave(turn(thread), "publish_artifact")
    assert browser(team.rob).post(f"/requests/{request.pk}/answer/", {"reason": "hm"}).status_code == 422


def test_stop_without_script_stops_and_leads_back(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Ask me")
    asks(turn(thread), "Which?")
    answer = browser(team.bob).post(f"/threads/{thread.pk}/stop/")
    assert (answer.status_code, answer["Location"]) == (303, f"/threads/{thread.pk}/")
    page = page_of(browser(team.alice), thread)
    assert "bob asked to stop" in page
    assert "ended the run first." in page
    assert browser(team.bob).post(f"/threads/{thread.pk}/stop/").status_code == 409


@pytest.mark.parametrize(
    ("outcome", "reason", "words"),
    [
        ("completed", "", '<span>Done</span> <span class="usage">2 requests, 1,240 tokens in, 93 out'),
        ("failed", "The model is away.", "The model is away."),
    ],
)
def test_a_run_says_how_it_ended(team: Team, outcome: str, reason: str, words: str) -> None:
    thread = thread_with(team.alice, team.workspace, "Go")
    ends(turn(thread), outcome, reason)
    assert words in page_of(browser(team.alice), thread)


def test_a_long_result_is_cut_and_the_rest_is_a_request_away(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, "Go")
    work = turn(thread)
    calls(work, "read", "x" * 50_000, path="a")
    page = page_of(browser(team.alice), thread)
    assert len(page) < 40_000
    path = re.search(r'<a href="(/threads/[^"]*/events/\d+/)" hx-get', page)
    assert path is not None
    whole = browser(team.alice).get(path[1]).content.decode()
    assert whole.count('<span class="slice">') == 5
    assert whole.replace('</span><span class="slice">', "").count("x" * 50_000) == 1
    fragment = browser(team.alice, htmx=True).get(path[1]).content.decode()
    assert fragment.strip().startswith('<pre class="verbatim whole"')


def test_earlier_events_come_with_all_that_was_said_of_them_since(team: Team) -> None:
    thread = thread_with(team.alice, team.workspace, *(f"message {number} of many" for number in range(200)))
    turn(thread)
    client = browser(team.bob)
    page = page_of(client, thread)
    first = re.search(r"earlier/\?before=(\d+)", page)
    assert first is not None
    earlier = (
        browser(team.bob, htmx=True).get(f"/threads/{thread.pk}/earlier/?before={first[1]}").content.decode()
    )
    assert "waiting for the agent" not in earlier
    pages = [earlier]
    while found := re.search(r"earlier/\?before=(\d+)", pages[-1]):
        address = f"/threads/{thread.pk}/earlier/?before={found[1]}"
        pages.append(browser(team.bob, htmx=True).get(address).content.decode())
    seqs = [
        int(seq)
        for part in (*reversed(pages), page)
        for seq in re.findall(r'data-seq="(\d+)" data-type', part)
    ]
    assert seqs == list(Event.objects.filter(thread=thread.pk).order_by("seq").values_list("seq", flat=True))


def test_the_model_is_named(team: Team, settings: pytest.FixtureRequest) -> None:
    thread = thread_with(team.alice, team.workspace)
    assert "a script, not a language model" in page_of(browser(team.alice), thread)
    settings.ARTIFACTR_MODEL = "anthropic:claude"  # type: ignore[attr-defined]  # pytest-django's settings
    page = page_of(browser(team.alice), thread)
    assert "<strong>anthropic:claude</strong>: what is written here goes to its provider" in page


@pytest.mark.parametrize("where", ["/threads/", "/threads/{thread}/messages/"])
def test_who_belongs_no_longer_has_what_they_wrote_back(team: Team, where: str) -> None:
    path = where.format(thread=thread_with(team.alice, team.workspace, "Hello").pk)
    place = {} if "{" in where else {"workspace": team.workspace}
    answer = browser(team.charlie).post(path, {**place, "message_id": "m", "content": "A <long> thought"})
    assert answer.status_code == 404
    page = answer.content.decode()
    assert "A &lt;long&gt; thought" in page
    assert f'data-draft="draft:{path}{place.get("workspace", "")}"' in page
    assert ">Hello" not in page
