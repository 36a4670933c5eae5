"""`kill -9` at random moments of runs whose tools append to a file, then a start, and nothing else: all goes on."""

import json
import random
import time
import uuid
from pathlib import Path

import pytest

from tests.conftest import Serve
from tests.processes.stage import APPENDED
from tests.processes.visitor import Visitor
from tests.services.served import Served
from tests.shares import share

pytestmark = [pytest.mark.both, pytest.mark.stress]

SETTINGS = "tests.processes.settings"


def aftermath(served: Served, call: str) -> str:
    return served.manage(
        "shell", "--no-imports", "-c", f"from tests.processes import aftermath; aftermath.{call}"
    )


def wait_for_rest(served: Served, seconds: float = 60) -> float:
    """The seconds until no thread has work any more."""
    began = time.monotonic()
    while not json.loads(aftermath(served, "at_rest()")):
        assert time.monotonic() - began < seconds, served.log()[-5_000:]
    return time.monotonic() - began


def test_a_killed_process_costs_no_message_and_no_tool_begins_twice(serve: Serve, tmp_path: Path) -> None:
    appended = tmp_path / "appended"
    appended.touch()
    served = serve(environment={"DJANGO_SETTINGS_MODULE": SETTINGS, APPENDED: str(appended)})
    alice = Visitor(served.person("alice"))
    threads = [alice.post("/threads/", content=f"begin {number}") for number in range(3)]
    dice = random.Random(7)
    kills = share(30, 4)
    starts: list[tuple[float, float]] = []
    for number in range(kills):
        for thread in dice.sample(threads, dice.randint(1, 3)):
            alice.post_until_taken(
                f"{thread}messages/", content=f"go {number} in {thread}", message_id=uuid.uuid4().hex
            )
        time.sleep(dice.uniform(0, 0.6))
        served.kill9()
        began = time.time()
        served.start()
        starts.append((began, time.time()))
    wait_for_rest(served)
    counts = json.loads(aftermath(served, f"check({str(appended)!r})"))
    waits = [
        seen - max(ready for began, ready in starts if began <= seen) for seen in counts.pop("continued")
    ]
    slowest = max(ready - began for began, ready in starts)
    print(
        f"{kills} kills, slowest start {slowest:.1f} s; {len(waits)} runs went on, the last {max(waits):.1f} s later"
    )
    print(counts)
    assert max(waits) < 10
    assert served.terminate() == 0


def test_a_deploy_hands_its_runs_over(serve: Serve, tmp_path: Path) -> None:
    appended = tmp_path / "appended"
    appended.touch()
    served = serve(environment={"DJANGO_SETTINGS_MODULE": SETTINGS, APPENDED: str(appended)})
    alice = Visitor(served.person("alice"))
    for number in range(4):
        alice.post("/threads/", content=f"begin {number}")
    began = time.monotonic()
    assert served.terminate() == 0
    drained = time.monotonic() - began
    served.start()
    wait_for_rest(served)
    counts = json.loads(aftermath(served, f"check({str(appended)!r})"))
    print(f"drained in {drained:.1f} s; then {counts}")
    assert drained < 10
    assert len(counts["continued"]) > 0
    assert counts["runs"] == {"completed": 4}
