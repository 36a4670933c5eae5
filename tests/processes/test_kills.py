"""`kill -9` at random moments of runs whose tools append to a file, then a start, and nothing else: all goes on."""

import random
import time
from pathlib import Path

import pytest

from tests.conftest import Serve
from tests.processes.conftest import Stage
from tests.processes.stage import APPENDED
from tests.processes.staged import SETTINGS, Staged
from tests.shares import share

pytestmark = [pytest.mark.both, pytest.mark.stress]


def test_a_killed_process_costs_no_message_and_no_tool_begins_twice(stage: Stage) -> None:
    staged = stage()
    threads = staged.threads(3)
    dice = random.Random(7)
    kills = share(100, 2)
    starts: list[tuple[float, float]] = []
    for number in range(kills):
        if number % 2:  # else a run could get nowhere three times, and be abandoned
            staged.wait_until_idle(threads)
        lines = staged.lines()
        for thread in dice.sample(threads, dice.randint(1, 3)):
            staged.say(thread, f"go {number} in {thread}")
        if number % 2:
            assert staged.wait_for_lines(lines + 1)
        time.sleep(dice.uniform(0, 0.3))
        staged.served.kill9()
        began = time.time()
        staged.served.start()
        starts.append((began, time.time()))
    counts = staged.aftermath()
    waits = [
        seen - max(ready for began, ready in starts if began <= seen) for seen in counts.pop("continued")
    ]
    slowest = max(ready - began for began, ready in starts)
    print(
        f"{kills} kills, slowest start {slowest:.1f} s; {len(waits)} runs went on, the last {max(waits):.1f} s later"
    )
    print(counts)
    assert max(waits) < 10
    assert staged.served.terminate() == 0


def test_a_deploy_hands_its_runs_over(serve: Serve, tmp_path: Path) -> None:
    appended = tmp_path / "appended"
    appended.touch()
    served = serve(environment={"DJANGO_SETTINGS_MODULE": SETTINGS, APPENDED: str(appended)})
    staged = Staged(served, appended)
    continued: list[float] = []
    for number in range(1, 6):  # until a deploy comes upon a run that cannot finish before it
        staged.threads(4)
        began = time.monotonic()
        assert served.terminate() == 0
        drained = time.monotonic() - began
        served.start()
        counts = staged.aftermath()
        print(f"drained in {drained:.1f} s; then {counts}")
        assert drained < 15
        assert counts["runs"] == 4 * number
        if continued := counts["continued"]:
            break
    assert continued
