"""Page in one process, run in a second, staff in a third: what is done in one shows in the others at once."""

import asyncio
import re
import statistics
import time
import uuid
from urllib.error import HTTPError

import pytest

from tests.processes.cluster import PAGES, RUNS, Cluster
from tests.processes.page import Page, opened
from tests.processes.visitor import Visitor
from tests.services.served import Served
from tests.shares import IS_STRESS

ENDED = 'data-type="run_ended"'
ROUNDS = 5
STAMP = re.compile(r"(\d+)@(\d+\.\d+)")
UNTIL_DELIVERED = """
select extract(epoch from later.at - first.at)::float from artifacts_event first join artifacts_event later
on later.thread = first.thread and later.seq > first.seq
where first.thread = %s and first.type = 'message_posted' and later.about = first.seq order by first.seq
"""
UNTIL_THE_END = """
select min(extract(epoch from later.at - first.at))::float from artifacts_event first join artifacts_event later
on later.thread = first.thread and later.seq > first.seq and later.type = 'run_ended'
where first.thread = %s and first.type = 'stop_requested' group by first.seq
"""


@pytest.fixture(scope="module")
def apart(cluster: Cluster) -> tuple[Served, Served, Served]:
    """Pages, runs, and pages again."""
    pages, runs, staff = (cluster.start(kind, wait=False) for kind in (PAGES, RUNS, PAGES))
    for served in (pages, runs, staff):
        served.wait_ready(120)
    return pages, runs, staff


async def begin(visitor: Visitor, words: str) -> str:
    return await asyncio.to_thread(visitor.post, "/threads/", content=words)


async def say(visitor: Visitor, thread: str, words: str) -> None:
    await asyncio.to_thread(visitor.post, f"{thread}messages/", content=words, message_id=uuid.uuid4().hex)


async def press(visitor: Visitor, path: str, **fields: str) -> None:
    await asyncio.to_thread(visitor.post, path, **fields)


def lags(page: Page) -> list[float]:
    """How long after it was said each word came, of those that came first with a message of their own."""
    found: dict[str, float] = {}
    for at, text in page.heard:
        for number, stamp in STAMP.findall(text):
            found.setdefault(number, at - float(stamp))
    return list(found.values())


async def measured(page_of: Visitor, cluster: Cluster) -> dict[str, float]:
    """Seconds, as medians: until a word is on the page, a steer is taken, a stop has ended the run."""
    thread = await begin(page_of, "hello")
    id = id_of(thread)
    async with opened(page_of, thread) as [page]:
        await page.until(ENDED)
        await say(page_of, thread, "count 40")
        await page.until("39@")
        watching = statistics.median(lags(page))
        for _ in range(ROUNDS):
            await say(page_of, thread, "work")
            await at_work(cluster, id)
            await say(page_of, thread, "enough")
            await idle(cluster, id)
        for _ in range(ROUNDS):
            await say(page_of, thread, "work")
            await at_work(cluster, id)
            await press(page_of, f"{thread}stop/")
            await idle(cluster, id)
    stops = cluster.postgresql.rows(UNTIL_THE_END, id)
    assert len(stops) == ROUNDS
    # hello, count, and then in turn a message that starts a run and one that steers it
    delivered = [seconds for (seconds,) in cluster.postgresql.rows(UNTIL_DELIVERED, id)]
    return {
        "watch": watching,
        "start": statistics.median(delivered[2 : 2 + 2 * ROUNDS : 2]),
        "steer": statistics.median(delivered[3 : 3 + 2 * ROUNDS : 2]),
        "stop": statistics.median([seconds for (seconds,) in stops]),
    }


async def at_work(cluster: Cluster, thread: str) -> None:
    query = (
        "select 1 from artifacts_event where thread = %s and type = 'tool_called' and seq >"
        " (select max(seq) from artifacts_event where thread = %s and type = 'message_posted') limit 1"
    )
    await until(lambda: bool(cluster.postgresql.rows(query, thread, thread)))


async def idle(cluster: Cluster, thread: str) -> None:
    query = "select 1 from threads_thread where id = %s and claim is null and asked_seq <= taken_seq"
    await until(lambda: bool(cluster.postgresql.rows(query, thread)))


async def until(true: object, seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(true):  # type: ignore[arg-type]
            await asyncio.sleep(0.01)


@pytest.mark.stress
@pytest.mark.skipif(not IS_STRESS, reason="milliseconds want a quiet machine: part of make stress")
async def test_watching_steering_and_stopping_from_another_process_take_milliseconds_more(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    others = await measured(await asyncio.to_thread(cluster.visitor, apart[0]), cluster)
    for served in apart:
        served.terminate()
    alone = cluster.start()
    one = await measured(await asyncio.to_thread(cluster.visitor, alone), cluster)
    alone.terminate()
    for served in apart:
        served.start()
    for what in others:
        print(f"{what}: {others[what] * 1000:.0f} ms apart, {one[what] * 1000:.0f} ms in one process")
    assert all(others[what] - one[what] < 0.25 for what in others)


async def test_a_page_opened_in_mid_run_shows_what_a_run_elsewhere_said_so_far(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    bob = alice.at(staff.url)
    thread = await begin(alice, "count 60")
    async with opened(alice, thread) as [first]:
        await first.until("20@")
        async with opened(bob, thread) as [late]:
            await late.until("30@")
            assert "0@" in late.texts[0]
            for page in (first, late):
                await page.until(ENDED)
    whole = first.texts[-1]
    assert all(whole.startswith(text) for text in first.texts), "nothing is missing and nothing comes twice"
    longest = max(first.texts[-1], late.texts[-1], key=len)
    assert all(longest.startswith(text) for text in late.texts)


async def test_an_answer_in_a_third_process_resumes_the_run_and_shows_on_the_first_page(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    carol = await asyncio.to_thread(cluster.visitor, staff)
    thread = await begin(alice, "ask")
    async with opened(alice, thread) as [page]:
        await paused(cluster, thread)
        began = time.time()
        await say(carol, thread, "coffee, please")
        came = await page.until(ENDED)
    print(f"answered in one process, carried out in another, shown in a third: {came - began:.2f} s")
    assert page.seqs == sorted(set(page.seqs))
    assert came - began < 2


async def test_an_approval_in_the_admin_of_a_third_process_resumes_the_run(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    carol = await asyncio.to_thread(cluster.visitor, staff)
    cluster.postgresql.rows("update auth_user set is_staff = true, is_superuser = true returning id")
    thread = await begin(alice, "launch")
    async with opened(alice, thread) as [page]:
        await paused(cluster, thread)
        review = f"/admin/threads/request/{open_request(cluster, thread)}/change/"
        assert "launch" in await asyncio.to_thread(carol.get, review)
        began = time.time()
        await press(carol, review, decision="approve")
        came = await page.until(ENDED)
    print(f"approved in one process, carried out in another, shown in a third: {came - began:.2f} s")
    assert "launched it" in page.html
    assert came - began < 2


def id_of(path: str) -> str:
    return path.strip("/").split("/")[-1]


def open_request(cluster: Cluster, thread: str) -> str:
    query = "select id::text from threads_request where thread_id = %s and state = 'open'"
    [(request,)] = cluster.postgresql.rows(query, id_of(thread))
    return str(request)


async def paused(cluster: Cluster, thread: str) -> None:
    query = (
        "select 1 from threads_thread thread join threads_run run on run.id = thread.run_id"
        " where thread.id = %s and thread.claim is null and run.status = 'paused'"
    )
    await until(lambda: bool(cluster.postgresql.rows(query, id_of(thread))))


async def test_signing_out_in_one_process_closes_the_pages_in_another(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    thread = await begin(alice, "hello")
    async with opened(alice, thread) as [page]:
        elsewhere = await asyncio.to_thread(alice.at, staff.url)
        await asyncio.to_thread(elsewhere.get, "/")
        await press(elsewhere, "/sign-out/")
        async with asyncio.timeout(3):
            while page.code is None:
                await asyncio.sleep(0.01)
    assert page.code == 4401


async def test_a_message_that_is_sent_at_two_processes_at_once_is_one(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    thread = await begin(alice, "hello")
    form = {"content": "hello again", "message_id": uuid.uuid4().hex}
    await asyncio.gather(*(press(at, f"{thread}messages/", **form) for at in (alice, alice.at(staff.url))))
    await idle(cluster, id_of(thread))
    query = "select count(*) from artifacts_event where thread = %s and type = 'message_posted'"
    assert cluster.postgresql.rows(query, id_of(thread)) == [(2,)]


async def test_of_two_answers_in_two_processes_the_first_stands_and_the_second_is_told(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    thread = await begin(alice, "ask")
    await paused(cluster, thread)
    path = f"/requests/{open_request(cluster, thread)}/answer/"
    answers = (press(alice, path, choice="tea"), press(alice.at(staff.url), path, choice="coffee"))
    refused = [said for said in await asyncio.gather(*answers, return_exceptions=True) if said]
    await idle(cluster, id_of(thread))
    assert [told.code for told in refused if isinstance(told, HTTPError)] == [409]
    query = "select count(*) from artifacts_event where thread = %s and type = 'request_answered'"
    assert cluster.postgresql.rows(query, id_of(thread)) == [(1,)]


async def test_an_edit_in_one_process_is_told_once_to_the_agent_in_another(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    bob = await asyncio.to_thread(cluster.visitor, staff, "bob", superuser=True)
    artifact = await asyncio.to_thread(shared_artifact, pages)
    thread = await begin(alice, "work")
    await press(alice, f"{thread}focus/", artifact=id_of(artifact), followed="yes")
    await at_work(cluster, id_of(thread))
    async with opened(alice, thread) as [page], opened(alice, artifact) as [panel]:
        await asyncio.to_thread(bob.get, artifact)
        fields = {"base": "1", "title": "Tea", "text": "Hot, and black."}
        await press(bob, f"{artifact}revisions/", **fields)
        await panel.until("and black", seconds=5)
        await page.until('data-type="changes_told"', seconds=5)
        await say(alice, thread, "enough")
        await page.until(ENDED)
    query = "select count(*) from artifacts_event where thread = %s and type = 'changes_told'"
    assert cluster.postgresql.rows(query, id_of(thread)) == [(1,)]
    with pytest.raises(HTTPError, match="409"):
        await press(bob, f"{artifact}revisions/", **{**fields, "text": "Cold."})


async def test_a_draft_is_seen_in_another_process_while_it_is_written(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    alice = await asyncio.to_thread(cluster.visitor, apart[0])
    thread = await begin(alice, "draft")
    async with opened(alice, thread) as [page]:
        seen = await page.until("Leaves in hot", seconds=10)
        made = await page.until('data-type="artifact_created"', seconds=10)
    assert seen < made


async def test_a_stop_in_the_admin_of_a_third_process_ends_the_run(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    carol = await asyncio.to_thread(cluster.visitor, staff, "carol", superuser=True)
    thread = await begin(alice, "work")
    await at_work(cluster, id_of(thread))
    [(run,)] = cluster.postgresql.rows("select run_id::text from threads_thread where id = %s", id_of(thread))
    async with opened(alice, thread) as [page]:
        await asyncio.to_thread(carol.get, f"/admin/threads/run/{run}/deeds/stop/")
        began = time.time()
        await press(carol, f"/admin/threads/run/{run}/deeds/stop/")
        came = await page.until(ENDED, seconds=5)
    print(f"stopped in the admin of one process, ended in another, shown in a third: {came - began:.2f} s")
    assert "Stopped" in page.html


async def test_who_is_taken_out_in_one_process_loses_the_page_in_another(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, staff)
    dan = await asyncio.to_thread(cluster.visitor, pages, "dan")
    thread = await begin(alice, "hello")
    workspace, user = await asyncio.to_thread(let_in, pages, "dan")
    async with opened(dan, thread) as [page]:
        await press(alice, f"/workspaces/{workspace}/members/{user}/removal/")
        async with asyncio.timeout(3):
            while page.code is None:
                await asyncio.sleep(0.01)
    assert page.code in (4403, 4404)


async def test_who_reads_an_artifact_in_another_process_is_there(
    cluster: Cluster, apart: tuple[Served, Served, Served]
) -> None:
    pages, _, staff = apart
    alice = await asyncio.to_thread(cluster.visitor, pages)
    other = await asyncio.to_thread(cluster.visitor, staff, "bob", superuser=True)
    artifact = await asyncio.to_thread(shared_artifact, pages)
    async with opened(alice, artifact) as [page], opened(other, artifact) as [_]:
        await page.until("bob", seconds=5)


def shared_artifact(served: Served) -> str:
    """The address of a document in alice's workspace, which bob may read."""
    let_in(served, "bob")
    script = """
from django.contrib.auth.models import User
from artifacts.core.commands import CreateArtifact
from artifacts.handle import Handle
alice = User.objects.get(username="alice")
handle = Handle.for_user(alice, str(alice.memberships.get().workspace_id))
made = handle.commit(CreateArtifact("document", {"title": "Tea", "text": "Hot."}))
print("/artifacts/" + str(made.artifact) + "/")
"""
    return served.manage("shell", "--no-imports", "-c", script).strip()


def let_in(served: Served, name: str) -> tuple[str, str]:
    """Alice's workspace, and the person whom she lets in, unless they are there."""
    script = f"""
from django.contrib.auth.models import User
from artifacts import members
alice = User.objects.get(username="alice")
workspace = str(alice.memberships.get().workspace_id)
user = User.objects.get(username={name!r})
if members.role_of(user.pk, workspace) is None:
    members.add_by_name(alice, workspace, {name!r}, "editor")
print(workspace, user.pk)
"""
    workspace, user = served.manage("shell", "--no-imports", "-c", script).split()
    return workspace, user
