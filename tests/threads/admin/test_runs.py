"""Runs in the admin: every step of them, stopped, tried again; and history as messages."""

import asyncio

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from artifacts import members
from artifacts.core.rejections import Forbidden
from artifacts.models import Event
from tests.kit import Room, Script, Step, ask, call, fail, playing, running, say
from tests.threads.admin.asking import approval, paused, signed_in, staff, thread, waiting, workspace_of
from threads.core.rejections import NothingToRetry, NothingToStop
from threads.models import Chunk, Request, Run, Thread
from threads.turns import archive, post, retry_run, stop, stop_run

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def sue() -> User:
    """Looks after runs, and is a member nowhere but at home."""
    return staff("sue", "stop_runs", "view_run", "view_chunk", "view_thread", "view_request")


@pytest.fixture
def admin(sue: User) -> Client:
    return signed_in(sue)


def row(run: Run) -> str:
    return f"/admin/threads/run/{run.pk}/"


def played(alice: User, *steps: Step, status: str = "idle") -> Run:
    """A run of the real agent on one message, until it is idle or paused."""
    room = Room.open(alice)

    async def story() -> None:
        async with running():
            await room.say("Begin, please")
            await room.until(status)

    with playing(Script(*steps)):
        asyncio.run(story())
    return Run.objects.get(thread_id=room.id)


def test_a_timeline_has_every_step(admin: Client, alice: User) -> None:
    run = played(alice, call("note", text="milk"), ask("Which tea?", "green"), status="paused")
    page = admin.get(f"{row(run)}change/").content.decode()
    shown = page.partition('id="timeline"')[2]
    places = [
        shown.index(words)
        for words in (
            "began on a message, for alice",
            "was given a message of alice",
            "answered a request",
            "called note",
            "&quot;text&quot;: &quot;milk&quot;",
            "result of a call: success",
            "noted milk",
            "asked Which tea?",
            "paused until it is answered",
        )
    ]
    assert places == sorted(places)
    assert 'data-fresh="3"' in page
    stop(alice, str(run.thread_id))
    over = admin.get(f"{row(run)}change/").content.decode()
    assert "ended stopped" in over
    assert 'data-fresh="3"' not in over


def test_a_failure_says_why(admin: Client, alice: User) -> None:
    run = played(alice, fail())
    page = admin.get(f"{row(run)}change/").content.decode()
    assert '<li class="bad">' in page
    assert "ended failed" in page
    assert run.reason[:30] in page


def test_a_long_timeline_comes_in_pages_of_bounded_cost(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({}, "launch"))[0]
    run = Run.objects.get(pk=request.run_id)

    def queries(after: int = 0) -> int:
        admin.get(f"{row(run)}change/?after={after}")
        with CaptureQueriesContext(connection) as captured:
            assert admin.get(f"{row(run)}change/?after={after}").status_code == 200
        return len(captured)

    few = queries()
    head = run.thread.workspace.head
    rows = [
        Event(
            workspace=run.thread.workspace,
            seq=head + n,
            type="agent_responded",
            data={"run": str(run.pk), "text": f"word {n}.", "thinking": "", "parts": []},
            actor_kind="agent",
            actor_name="Agent",
            at=run.started_at,
            thread=run.thread_id,
        )
        for n in range(1, 451)
    ]
    Event.objects.bulk_create(rows)
    assert queries() <= few
    pages, after = [], 0
    while True:
        html = admin.get(f"{row(run)}change/?after={after}").content.decode()
        pages.append(html)
        if "What came then" not in html:
            break
        after = int(html.partition('<a href="?after=')[2].partition('"')[0])
    assert len(pages) == 3
    for n in range(1, 451):
        assert sum(html.count(f"word {n}.</summary>") for html in pages) == 1


def test_another_run_of_the_thread_is_not_in_it(admin: Client, alice: User) -> None:
    made = thread(alice)
    first = paused(made, approval({"which": "first"}, "launch"))[0]
    stop(alice, str(made.pk))
    post(alice, str(made.pk), "again", "Once more")
    second = paused(made, approval({"which": "second"}, "launch"))[0]
    for own, other in ((first, "second"), (second, "first")):
        page = admin.get(f"{row(Run.objects.get(pk=own.run_id))}change/").content.decode()
        assert f"&quot;{other}&quot;" not in page
        assert own.arguments["which"] in page


def test_staff_stop_a_paused_run_and_everybody_sees_who(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({}, "launch"))[0]
    run = Run.objects.get(pk=request.run_id)
    assert (
        "Everybody in the thread sees that you stopped it."
        in admin.get(f"{row(run)}deeds/stop/").content.decode()
    )
    assert Run.objects.get(pk=run.pk).status == "paused"
    assert admin.post(f"{row(run)}deeds/stop/").status_code == 302
    assert Run.objects.get(pk=run.pk).status == "stopped"
    closed = Request.objects.get(pk=request.pk)
    assert (closed.state, closed.decided_by) == ("closed", "sue")
    assert Event.objects.get(type="stop_requested").actor_name == "sue"
    assert (
        "Withdrawn: sue ended the run first."
        in signed_in(alice).get(f"/threads/{run.thread_id}/").content.decode()
    )
    again = admin.post(f"{row(run)}deeds/stop/")
    assert again.status_code == 409
    assert "nothing to stop" in again.content.decode()
    assert "asked to stop (<a" in admin.get(f"{row(run)}history/").content.decode()


def test_staff_have_a_run_tried_again_for_whom_it_acted(admin: Client, sue: User, alice: User) -> None:
    run = played(alice, fail())
    assert admin.post(f"{row(run)}deeds/retry/").status_code == 302
    tried = Run.objects.exclude(pk=run.pk).get()
    assert (tried.user, tried.status) == (alice, "ready")
    assert Event.objects.get(type="retry_requested").actor_name == "sue"
    with pytest.raises(NothingToRetry):
        retry_run(sue, str(run.pk))


def test_nobody_has_it_tried_again_for_who_may_no_longer_write(sue: User, alice: User) -> None:
    bob = User.objects.create_user("bob")
    run = played(alice, fail())
    members.add_member(alice, workspace_of(alice), bob, "owner")
    members.add_member(bob, workspace_of(alice), alice, "viewer")
    with pytest.raises(Forbidden):
        retry_run(sue, str(run.pk))
    assert Run.objects.count() == 1


def test_it_needs_the_permission(alice: User) -> None:
    request = waiting(alice, approval({}, "launch"))[0]
    for user in (alice, staff("eve", "view_run"), User.objects.create_user("stranger")):
        with pytest.raises(Forbidden):
            stop_run(user, str(request.run_id))
        with pytest.raises(Forbidden):
            retry_run(user, str(request.run_id))


def test_what_was_archived_or_stopped_meanwhile_is_said_to_be(sue: User, alice: User) -> None:
    request = waiting(alice, approval({}, "launch"))[0]
    archive(alice, str(request.thread_id))
    with pytest.raises(NothingToStop):
        stop_run(sue, str(request.run_id))


def test_history_is_read_as_messages(admin: Client, alice: User) -> None:
    run = played(alice, call("note", text="milk"), say("It is noted."))
    pages = [
        admin.get(f"/admin/threads/chunk/{chunk.pk}/change/").content.decode()
        for chunk in Chunk.objects.filter(run=run)
    ]
    whole = "".join(pages)
    for words in ("To the agent", "Begin, please", "The agent calls note", "Result of note", "It is noted."):
        assert words in whole


def test_a_threads_page_leads_to_its_run_and_its_log(admin: Client, alice: User) -> None:
    request = waiting(alice, approval({}, "launch"))[0]
    page = admin.get(f"/admin/threads/thread/{request.thread_id}/change/").content.decode()
    assert f"/admin/threads/run/{request.run_id}/change/" in page
    assert Thread.objects.get(pk=request.thread_id).status == "paused"
