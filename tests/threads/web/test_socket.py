"""The thread's socket: what it delivers, in what order, and to whom it closes. Everything is real but the browser."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.signals import user_logged_out
from django.http import HttpRequest

from artifacts import log
from artifacts.core.commands import EditArtifact
from artifacts.core.patches import WholeText
from artifacts.database import in_database
from artifacts.governing import erase
from artifacts.handle import Handle
from artifacts.members import remove_member
from artifacts.web.sockets import reconsider_sockets
from tests.artifacts.web import people
from tests.artifacts.web.people import Team, document
from tests.artifacts.web.sockets import Socket, connected, session_for
from tests.threads.web.turns import asks, calls, ends, says, thread_with, turn
from threads.core.decisions import Answer
from threads.live import hub
from threads.models import Thread
from threads.turns import answer, archive, drop_artifact, follow_artifact, post, rename, set_mode, withdraw
from threads.web import news
from threads.web.consumers import ThreadConsumer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@asynccontextmanager
async def watching(
    user: User | AnonymousUser, thread: Thread, after: object, session: Any = None
) -> AsyncIterator[Socket]:
    """Somebody's page of a thread, which has the log up to `after`."""
    mine = session or await session_for(cast(User, user))
    async with connected(ThreadConsumer, {"thread_id": thread.pk}, user, after, mine) as page:
        yield page


async def prepared(*messages: str) -> tuple[Team, Thread, int]:
    news._together._tasks.clear()
    team = await in_database(people.team)
    thread = await in_database(thread_with, team.alice, team.workspace, *messages)
    return team, thread, await in_database(log.head, team.workspace)


async def test_a_page_that_has_everything_gets_only_how_things_stand() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        assert page.seqs == []
        assert page.after == head
        assert 'id="run-status"' in page.html


async def test_events_come_once_and_in_order_across_a_reconnection() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head - 1) as page:
        await page.until('data-type="message_posted"')
        work = await in_database(turn, thread)
        await in_database(says, work, "One")
        await page.until("<p>One</p>")
        after, seqs = page.after, page.seqs
    await in_database(says, work, "Two")
    async with watching(team.bob, thread, after) as page:
        await page.until("<p>Two</p>")
        await in_database(ends, work)
        await page.until("Done")
        seqs += page.seqs
        last = await in_database(log.head, team.workspace)
        assert page.after == last
    assert seqs == list(range(head, last + 1))


async def test_a_change_of_an_older_thing_replaces_its_parts() -> None:
    team, thread, head = await prepared("Ask me")
    request = await in_database(lambda: asks(turn(thread), "Which?"))
    head = await in_database(log.head, team.workspace)
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        await in_database(answer, team.alice, str(request.pk), Answer("green"))
        await page.until('data-type="request_answered"')
    assert f'id="request-{request.seq}-verdict" data-state="answered" hx-swap-oob="outerHTML"' in page.html
    assert f'<i id="request-{request.seq}-slot" hx-swap-oob="delete">' in page.html
    assert "<form" not in page.html


async def test_live_text_becomes_durable_in_one_message() -> None:
    team, thread, _ = await prepared("Hello")
    work = await in_database(turn, thread)
    head = await in_database(log.head, team.workspace)
    with hub.running(str(thread.pk)) as run:
        run.grow("p1", "text", "A *first* ")
        async with watching(team.bob, thread, head) as page:
            await page.until('id="part-p1"')
            run.grow("p1", "text", "word.\n\nAnd ")
            await page.until("<p>A <em>first</em> word.</p>")
            run.grow("p1", "text", "more")
            await page.until("And more")
            await in_database(says, work, "A *first* word.\n\nAnd more", parts=("p1",))
            run.drop(["p1"])
            await page.until('<i id="part-p1" hx-swap-oob="delete">')
            assert 'data-type="agent_responded"' in page.received[-1]
            assert 'id="cursor"' in page.received[-1]


async def test_a_page_opened_in_mid_run_gets_what_there_is_so_far() -> None:
    team, thread, head = await prepared("Hello")
    with hub.running(str(thread.pk)) as run:
        run.grow("t1", "thinking", "Hm <b>")
        run.grow("p1", "text", "# Tea\n\nIt is ")
        run.show_draft("d1", {"kind": "document", "title": "Tea", "text": "Green"})
        async with watching(team.bob, thread, head) as page:
            html = await page.until('id="part-d1"')
            assert "Hm &lt;b&gt;" in html
            assert "<h3>Tea</h3>" in html
            run.show_draft("d1", {"kind": "document", "title": "Tea, green", "text": "Green tea"})
            await page.until('<h2 id="part-d1-title" hx-swap-oob="outerHTML">Tea, green</h2>')
            await page.until("<p>Green tea</p>")


async def test_a_draft_that_is_abandoned_goes() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page:
        with hub.running(str(thread.pk)) as run:
            run.grow("p1", "text", "Half a ")
            await page.until('id="part-p1"')
        await page.until('<i id="part-p1" hx-swap-oob="delete">')


async def test_a_persons_edit_of_a_followed_document_comes_at_once() -> None:
    team, thread, _ = await prepared("Hello")
    tea = await in_database(document, team.alice, team.workspace)
    await in_database(lambda: thread.focus.create(artifact=tea, seq=1))
    head = await in_database(log.head, team.workspace)
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        command = EditArtifact(str(tea.pk), base=1, patch=WholeText("White.\n"))
        await in_database(lambda: Handle.for_user(team.alice, team.workspace).commit(command))
        await page.until("<p>White.</p>")
        assert f"outerHTML:#artifact[data-id=&#x27;{tea.pk}&#x27;]" in page.html
        assert page.after == head + 1


async def test_what_others_say_is_read_aloud_once_it_is_finished() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        work = await in_database(turn, thread)
        await in_database(says, work, "One")
        await page.until("<p>Agent: One</p>")
    async with watching(team.bob, thread, head - 1) as late:
        await late.until("2 new messages")


async def test_a_page_that_missed_too_much_or_too_little_is_told_to_reload() -> None:
    team, thread, head = await prepared(*(f"message {number}" for number in range(160)))
    for after in (0, head + 1):
        async with watching(team.bob, thread, after) as page:
            assert await page.code() == 4409


async def test_no_message_is_too_large() -> None:
    team, thread, head = await prepared("Hello")
    work = await in_database(turn, thread)
    for _ in range(8):
        await in_database(says, work, "```c\n" + "+ - * / " * 400)
    await in_database(says, work, "```c\n" + "+ - * / " * 40_000)
    await in_database(calls, work, "read", "x" * 500_000, path="y" * 500_000)
    async with watching(team.bob, thread, head) as page:
        await page.until('data-type="tool_returned"')
        last = await in_database(log.head, team.workspace)
        while page.after != last:
            await page.until("never" if len(page.received) > 9 else f'id="cursor" data-seq="{last}"')
    assert len(page.received) > 1
    assert max(map(len, page.received)) < 256_000
    assert page.seqs == list(range(head + 1, last + 1))


async def test_strangers_and_nobody_are_sent_away() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.charlie, thread, head) as page:
        assert await page.code() == 4404
    async with watching(AnonymousUser(), thread, head, await session_for(team.bob)) as page:
        assert await page.code() == 4401
    for after in ("x", "", "-1", "1" * 40):
        async with watching(team.bob, thread, after) as page:
            assert await page.code() == 4404


async def test_signing_out_closes_at_once() -> None:
    team, thread, head = await prepared("Hello")
    session = await session_for(team.bob)
    async with watching(team.bob, thread, head, session) as page:
        await page.until('id="cursor"')
        request = HttpRequest()
        request.session = session
        await asyncio.to_thread(user_logged_out.send, sender=User, request=request, user=team.bob)
        assert await page.code() == 4401


async def test_leaving_the_workspace_closes_at_once() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        await in_database(remove_member, team.alice, team.workspace, team.bob)
        assert await page.code() == 4403


async def test_deactivating_closes_the_persons_sockets_and_nobody_elses() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page, watching(team.alice, thread, head) as other:
        await page.until('id="cursor"')
        await other.until('id="cursor"')
        await in_database(User.objects.filter(pk=team.bob.pk).update, is_active=False)
        await asyncio.to_thread(reconsider_sockets)
        assert await page.code() == 4401
        await in_database(post, team.alice, str(thread.pk), "m", "Still there?")
        await other.until("Still there?")


async def test_a_deleted_workspaces_pages_close(caplog: pytest.LogCaptureFixture) -> None:
    team, thread, head = await prepared("Hello")
    root = await in_database(User.objects.create_superuser, "root")
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        name = await in_database(lambda: thread.workspace.name)
        await in_database(erase, root, team.workspace, name)
        await asyncio.to_thread(reconsider_sockets)
        assert await page.code() == 4403
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_socket_takes_no_commands() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page:
        await page.until('id="cursor"')
        await page.wire.send_to(text_data='{"type": "signed.out"}')
        await in_database(post, team.alice, str(thread.pk), "m", "Still there?")
        await page.until("Still there?")


async def test_the_same_news_are_read_and_drawn_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    team, thread, head = await prepared("Hello")
    read: list[int] = []
    original = news.read

    def counted(workspace: str, thread: str, after: int) -> news.News:
        read.append(after)
        return original(workspace, thread, after)

    monkeypatch.setattr(news, "read", counted)
    async with (
        watching(team.alice, thread, head) as one,
        watching(team.bob, thread, head) as two,
        watching(team.vera, thread, head) as three,
    ):
        pages = (one, two, three)
        for page in pages:
            await page.until('id="cursor"')
        read.clear()
        await in_database(post, team.alice, str(thread.pk), "m", "For all")
        for page in pages:
            await page.until("For all")
    assert read == [head]


async def test_what_people_do_to_a_thread_reaches_every_page_without_a_form() -> None:
    team, thread, head = await prepared("Hello")
    async with watching(team.bob, thread, head) as page:
        await page.until('data-count="1"')
        await in_database(withdraw, team.alice, str(thread.pk), head)
        await page.until("withdrawn: the agent never had it")
        assert f'<i id="message-{head}-slot" hx-swap-oob="delete">' in page.html
        await in_database(rename, team.alice, str(thread.pk), "Green tea")
        await page.until('<h1 id="thread-title" hx-swap-oob="outerHTML">Green tea</h1>')
        await in_database(set_mode, team.alice, str(thread.pk), "suggest")
        await page.until('hx-swap-oob="outerHTML">The agent suggests its changes</span>')
        tea = await in_database(document, team.alice, team.workspace)
        await in_database(follow_artifact, team.alice, str(thread.pk), str(tea.pk))
        await page.until(f'data-id="{tea.pk}"')
        before = page.html.count('<nav class="tabs"')
        await in_database(drop_artifact, team.alice, str(thread.pk), str(tea.pk))
        await page.until('data-type="artifact_dropped"')
        assert page.html.count('<nav class="tabs"') > before
        await in_database(archive, team.alice, str(thread.pk))
        await page.until('<p class="notice" id="thread-archived" hx-swap-oob="outerHTML">')
        assert "<form" not in page.html
