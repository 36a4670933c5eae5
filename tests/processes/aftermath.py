"""What is left after kills, checked from outside, by `manage.py shell`."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

from artifacts.models import Event
from tests.promises import check_log, check_returns, check_thread, told
from threads.core import events
from threads.models import Run, Thread
from threads.turns import holding


def print_checked(appended: str, seconds: float) -> None:
    """Wait until nothing is left to do, check every promise, and print counts as JSON."""
    began = time.monotonic()
    while not is_at_rest():
        assert time.monotonic() - began < seconds, told(list(Event.objects.order_by("seq")))
        time.sleep(0.02)
    print(json.dumps(checked(Path(appended)) | {"rest": time.monotonic() - began}))


def is_at_rest() -> bool:
    """Whether no thread has work and none is held."""
    return not Thread.objects.exclude(claim=None).exists() and not holding.threads_with_work()


def checked(appended: Path) -> dict[str, Any]:
    """Every promise of every thread, every run completed, and no tool begun twice."""
    for thread in Thread.objects.all():
        check_thread(str(thread.pk), kills=True)
        check_returns(str(thread.pk))
        check_log(str(thread.workspace_id))
    lines = Counter(appended.read_text().split("\n"))
    begun = {line.removeprefix("begin "): count for line, count in lines.items() if line.startswith("begin ")}
    assert set(begun.values()) <= {1}, "a tool began twice"
    called = {event.data["call"] for event in Event.objects.filter(type=events.TOOL_CALLED)}
    assert set(begun) <= called, "a tool began that the log does not know"
    outcomes = Counter(Run.objects.values_list("status", flat=True))
    assert set(outcomes) == {"completed"}, told(list(Event.objects.order_by("seq")))
    continued = Event.objects.filter(type=events.RUN_STARTED, data__trigger="continue").order_by("at")
    return {
        "messages": Event.objects.filter(type=events.MESSAGE_POSTED).count(),
        "runs": outcomes["completed"],
        "tools": len(begun),
        "cut": sum(1 for call in begun if not lines[f"end {call}"]),
        "continued": [event.at.timestamp() for event in continued],
    }
