"""Three processes under load, and what can happen to them: kills, deploys, outages, stopped processes."""

import asyncio
import os
import random
import signal
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import skipped_without_it
from tests.processes.cluster import Cluster
from tests.processes.load import Load, busy, caught_up, watched
from tests.processes.page import Page, opened
from tests.processes.visitor import Visitor
from tests.services.pgbouncer import PgBouncer
from tests.services.served import Served
from tests.shares import IS_STRESS, share

pytestmark = pytest.mark.stress
long_day = pytest.mark.skipif(not IS_STRESS, reason="a long day: make stress")

THREADS, PAGES = share(20, 6), 4
CONTINUED = """
select extract(epoch from at)::float from artifacts_event
where type = 'run_started' and data->>'trigger' = 'continue' order by at
"""


@pytest.fixture(scope="module")
def visitor(cluster: Cluster) -> Visitor:
    """Alice, at the first of three processes that serve and run."""
    for _ in range(3):
        start_again(cluster.start(wait=False))
    return cluster.visitor(cluster.processes[0])


@pytest.fixture
def processes(cluster: Cluster, visitor: Visitor) -> list[Served]:
    """The three, running."""
    three = cluster.processes[:3]
    for served in three:
        assert served.process is not None
        if served.process.poll() is not None:
            start_again(served)
    return three


@pytest.fixture
def load(processes: list[Served], visitor: Visitor) -> Load:
    """People at all of them."""
    return Load([visitor.at(served.url) for served in processes])


def start_again(served: Served) -> None:
    """However long it takes on a machine that is busy with the rest of it."""
    if served.process is None or served.process.poll() is not None:
        served.start(wait=False)
    served.wait_ready(180)


async def rest(cluster: Cluster, load: Load) -> None:
    """Wait until all is done, and check that it was done as promised."""
    waited = await asyncio.to_thread(cluster.wait_for_rest)
    counts = await asyncio.to_thread(cluster.check)
    counts.pop("continued")
    print(f"{load.said} messages taken, {load.refused} tries in vain, at rest {waited:.1f} s later: {counts}")


async def test_processes_are_killed_under_load(cluster: Cluster, processes: list[Served], load: Load) -> None:
    dice, kills = random.Random(11), share(200, 2)
    recoveries: list[float] = []
    await load.begin(THREADS)
    await asyncio.to_thread(cluster.edit)
    async with watched(load, PAGES) as pages:
        async with busy(load):
            for _ in range(kills):
                await asyncio.sleep(dice.uniform(0, 1.5))
                victim = dice.choice(processes)
                orphans = await asyncio.to_thread(held_by, cluster, victim)
                await asyncio.to_thread(victim.kill9)
                killed = time.time()
                recoveries += await gone_on(cluster, orphans, killed)
                await asyncio.to_thread(start_again, victim)
        cluster.stop_editing()
        await rest(cluster, load)
        await caught_up(cluster, pages)
    if recoveries:
        recoveries.sort()
        middle = recoveries[len(recoveries) // 2]
        print(
            f"{kills} kills, {len(recoveries)} runs went on: median {middle:.1f} s, last {recoveries[-1]:.1f} s"
        )
        assert recoveries[-1] < 20


def held_by(cluster: Cluster, served: Served) -> list[str]:
    """The threads whose turns a process takes."""
    assert served.process is not None
    query = "select id::text from threads_thread where claim is not null and owner like %s"
    return [thread for (thread,) in cluster.postgresql.rows(query, f"%:{served.process.pid}:%")]


async def gone_on(cluster: Cluster, orphans: list[str], killed: float, seconds: float = 60) -> list[float]:
    """How long after the kill each thread was taken by somebody else, or its run had ended before."""
    found: dict[str, float] = {}
    query = (
        "select extract(epoch from at)::float from artifacts_event where thread = %s and type = 'run_started'"
        " and at > to_timestamp(%s) order by seq limit 1"
    )
    deadline = time.monotonic() + seconds
    while len(found) < len(orphans):
        assert time.monotonic() < deadline, cluster.logs()
        for thread in set(orphans) - set(found):
            rows = await asyncio.to_thread(cluster.postgresql.rows, query, thread, killed)
            if rows:
                found[thread] = rows[0][0] - killed
            elif not await asyncio.to_thread(has_run, cluster, thread):
                found[thread] = 0.0  # it had just ended
        await asyncio.sleep(0.1)
    return [seconds for seconds in found.values() if seconds > 0]


def has_run(cluster: Cluster, thread: str) -> bool:
    query = "select 1 from threads_thread where id = %s and claim is not null"
    return bool(cluster.postgresql.rows(query, thread))


@long_day
async def test_a_rolling_restart_costs_no_run(cluster: Cluster, processes: list[Served], load: Load) -> None:
    await load.begin(THREADS)
    async with watched(load, PAGES) as pages:
        async with busy(load):
            for served in processes:
                began = time.monotonic()
                assert await asyncio.to_thread(served.terminate) == 0
                print(f"drained in {time.monotonic() - began:.1f} s")
                await asyncio.to_thread(start_again, served)
        await rest(cluster, load)
        await caught_up(cluster, pages)
        assert all(page.connections >= 2 for page in pages)


@long_day
async def test_a_postgresql_that_is_away_for_ten_seconds_costs_nothing(cluster: Cluster, load: Load) -> None:
    await load.begin(THREADS)
    async with watched(load, PAGES) as pages:
        async with busy(load):
            await asyncio.sleep(1)
            before = len(await asyncio.to_thread(cluster.postgresql.rows, CONTINUED))
            await asyncio.to_thread(cluster.postgresql.stop)
            await asyncio.sleep(10)
            await asyncio.to_thread(cluster.postgresql.start)
            await asyncio.sleep(3)
        await rest(cluster, load)
        await caught_up(cluster, pages)
    assert len(await asyncio.to_thread(cluster.postgresql.rows, CONTINUED)) == before, (
        "nobody's run was taken"
    )


@long_day
async def test_a_redis_that_is_away_costs_nothing_durable(
    cluster: Cluster, processes: list[Served], load: Load
) -> None:
    assert cluster.redis is not None
    before = {served.url: len(served.log()) for served in processes}
    await load.begin(THREADS)
    async with watched(load, PAGES) as pages:
        async with busy(load):
            await asyncio.to_thread(cluster.redis.stop)
            await all_say("the channel layer is away", processes, before)
            async with watched(load, PAGES) as late:  # pages open without it
                await asyncio.sleep(60)
            assert all(page.heard for page in late)
            await asyncio.to_thread(cluster.redis.start)
            await all_say("the channel layer answers", processes, before)
        await rest(cluster, load)
        await caught_up(cluster, pages)
        assert all(page.connections == 1 for page in pages), "no page lost its socket"
    for served in processes:
        said = served.log()[before[served.url] :]
        assert "Traceback" not in said
        assert said.count("the channel layer is away") == said.count("the channel layer answers") == 1


async def all_say(words: str, processes: list[Served], before: dict[str, int]) -> None:
    """Wait until the log of each process says so, after where it was before."""
    async with asyncio.timeout(30):
        while not all(words in served.log()[before[served.url] :] for served in processes):
            await asyncio.sleep(0.05)


@long_day
async def test_a_process_stopped_past_its_claim_writes_nothing_more(
    cluster: Cluster, processes: list[Served], load: Load
) -> None:
    await load.begin(THREADS)
    async with busy(load):
        await asyncio.sleep(1)
        orphans: list[str] = []
        while not orphans:
            orphans = await asyncio.to_thread(held_by, cluster, processes[0])
        assert processes[0].process is not None
        processes[0].process.send_signal(signal.SIGSTOP)
        stopped = time.time()
        load.visitors = load.visitors[1:]
        waits = await gone_on(cluster, orphans, stopped)
        processes[0].process.send_signal(signal.SIGCONT)
        await asyncio.sleep(2)
    print(f"{len(orphans)} runs of a stopped process went on after {max(waits, default=0):.1f} s at most")
    await rest(cluster, load)
    assert max(waits, default=0) < 25


async def test_many_sockets_over_two_processes_see_one_run_alike(
    processes: list[Served], visitor: Visitor, cluster: Cluster
) -> None:
    sockets = share(100, 20)
    pages = await alike(cluster, visitor, processes, sockets)
    seen = [len(page.texts[-1]) if page.texts else 0 for page in pages]
    print(f"{sockets} sockets over two processes saw {min(seen)} to {max(seen)} characters live, the same")
    assert min(seen) > 0


@long_day
async def test_without_redis_everything_durable_still_comes(cluster: Cluster, visitor: Visitor) -> None:
    apart = [cluster.start(kind, wait=False, ARTIFACTR_REDIS_URL="") for kind in ("--no-runs", "--no-runs")]
    for served in apart:
        await asyncio.to_thread(start_again, served)
    await alike(cluster, visitor, apart, 4)
    for served in apart:
        assert "Without ARTIFACTR_REDIS_URL" in served.log()
        assert await asyncio.to_thread(served.terminate) == 0


async def alike(cluster: Cluster, visitor: Visitor, at: list[Served], sockets: int) -> list[Page]:
    """Pages at two processes that watch one run from its start, wherever it is; they received the same."""
    near, far = (visitor.at(served.url) for served in at[:2])
    thread = await asyncio.to_thread(near.post, "/threads/", content="hello")
    await asyncio.to_thread(cluster.wait_for_rest)
    async with (
        opened(near, thread, count=sockets // 2) as here,
        opened(far, thread, count=sockets // 2) as there,
    ):
        pages = [*here, *there]
        words = {"content": "count 60", "message_id": uuid.uuid4().hex}
        await asyncio.to_thread(near.post, f"{thread}messages/", **words)
        for page in pages:
            await page.until('data-type="run_ended"', seconds=60)
        await caught_up(cluster, pages)
    whole = max((text for page in pages for text in page.texts), key=len, default="")
    assert all(whole.startswith(text) for page in pages for text in page.texts)
    return pages


@long_day
async def test_behind_a_proxy_that_shares_sessions_kills_are_survived_too(
    cluster: Cluster, visitor: Visitor
) -> None:
    with skipped_without_it():
        proxy = PgBouncer(cluster.postgresql)
    try:
        cluster.postgresql.rows("alter role postgres set idle_in_transaction_session_timeout = '5s'")
        behind = {"ARTIFACTR_DATABASE_URL": proxy.url, "ARTIFACTR_DATABASE_PROXY": "1"}
        for served in cluster.processes:
            await asyncio.to_thread(served.kill9)  # else they would find the dead by their locks
        processes = [cluster.start(wait=False, **behind) for _ in range(2)]
        for served in processes:
            await asyncio.to_thread(start_again, served)
        load = Load([visitor.at(served.url) for served in processes])
        await load.begin(THREADS)
        async with busy(load):
            orphans: list[str] = []
            while not orphans:
                orphans = await asyncio.to_thread(held_by, cluster, processes[0])
            await asyncio.to_thread(processes[0].kill9)
            waits = await gone_on(cluster, orphans, time.time())
            await asyncio.to_thread(start_again, processes[0])
        await rest(cluster, load)
        print(
            f"{len(orphans)} runs went on after {max(waits, default=0):.1f} s at most, by their claims' time alone"
        )
        assert max(waits, default=0) < 30
        held = cluster.postgresql.rows("select 1 from pg_locks where locktype = 'advisory'")
        assert not held, "no lock stays with a session of the proxy"
        for served in processes:
            await asyncio.to_thread(served.terminate)
    finally:
        proxy.stop()


SOAK = "ARTIFACTR_SOAK_SECONDS"
PAUSE, FAULT = share(5, 1), share(3, 1)
"""Seconds: between two faults, at most, and of one that lasts."""


async def test_it_stays_flat_while_faults_come_every_few_seconds(
    cluster: Cluster, processes: list[Served], load: Load
) -> None:
    """In rounds of all kinds of faults: one round at least."""
    seconds = float(os.environ.get(SOAK, share(600, 0)))
    await load.begin(THREADS)
    await asyncio.to_thread(cluster.edit)
    dice, faults, sizes = random.Random(3), Counter[str](), list[Size]()
    began = time.monotonic()
    async with watched(load, PAGES) as pages:
        async with busy(load, pause=0.3):
            while not sizes or time.monotonic() < began + seconds:
                for fault in dice.sample(FAULTS, len(FAULTS)):
                    await asyncio.sleep(dice.uniform(0, PAUSE))
                    await asyncio.to_thread(fault, cluster, dice.choice(processes[1:]))
                    faults[fault.__name__] += 1
                    sizes.append(await asyncio.to_thread(size_of, cluster, processes[0]))
        cluster.stop_editing()
        await rest(cluster, load)
        await caught_up(cluster, pages)
    print(f"{time.monotonic() - began:.0f} s, {dict(faults)}")
    early, late = sizes[len(sizes) // 3], sizes[-1]
    print(f"after a third {early}; at the end {late}")
    assert late.memory < early.memory * 1.25 + 20
    assert late.threads <= early.threads + 4
    assert late.connections <= 3 * 30


def kill(cluster: Cluster, served: Served) -> None:
    served.kill9()
    start_again(served)


def deploy(cluster: Cluster, served: Served) -> None:
    assert served.terminate() == 0
    start_again(served)


def freeze(cluster: Cluster, served: Served) -> None:
    assert served.process is not None
    served.process.send_signal(signal.SIGSTOP)
    time.sleep(FAULT)
    served.process.send_signal(signal.SIGCONT)


def redis_away(cluster: Cluster, served: Served) -> None:
    assert cluster.redis is not None
    cluster.redis.stop()
    time.sleep(FAULT)
    cluster.redis.start()


def postgresql_away(cluster: Cluster, served: Served) -> None:
    cluster.postgresql.stop()
    time.sleep(FAULT)
    cluster.postgresql.start()


FAULTS = (kill, deploy, freeze, redis_away, postgresql_away)


@dataclass(frozen=True)
class Size:
    """Of the process that is never killed its memory (MB) and threads; of all, their connections to the database."""

    memory: float
    threads: int
    connections: int


def size_of(cluster: Cluster, served: Served) -> Size:
    assert served.process is not None
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{served.process.pid}/status").read_text().splitlines()
    )
    [(connections,)] = cluster.postgresql.rows(
        "select count(*) from pg_stat_activity where datname = 'artifactr'"
    )
    return Size(round(int(status["VmRSS"].split()[0]) / 1024, 1), int(status["Threads"]), int(connections))
