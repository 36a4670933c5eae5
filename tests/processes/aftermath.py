"""What is left after kills, checked from outside, by `manage.py shell`."""

import json
from collections import Counter
from pathlib import Path

from artifacts.models import Event
from tests.promises import check_log, check_thread, told
from threads.core import events
from threads.models import Run, Thread
from threads.turns import holding


def at_rest() -> None:
    """Print whether no thread has work and none is held."""
    held = Thread.objects.exclude(claim=None).exists()
    print(json.dumps(not held and not holding.threads_with_work()))


def check(appended: str) -> None:
    """Every promise of every thread, and that no tool began twice. Prints counts as JSON."""
    for thread in Thread.objects.all():
        check_thread(str(thread.pk), kills=True)
        check_log(str(thread.workspace_id))
    lines = Counter(Path(appended).read_text().split("\n"))
    begun = {line.removeprefix("begin "): count for line, count in lines.items() if line.startswith("begin ")}
    assert set(begun.values()) <= {1}, "a tool began twice"
    called = {event.data["call"] for event in Event.objects.filter(type=events.TOOL_CALLED)}
    assert set(begun) <= called, "a tool began that the log does not know"
    outcomes = Counter(Run.objects.values_list("status", flat=True))
    assert set(outcomes) == {"completed"}, told(list(Event.objects.order_by("seq")))
    continued = Event.objects.filter(type=events.RUN_STARTED, data__trigger="continue").order_by("at")
    interrupted = sum(1 for call in begun if not lines[f"end {call}"])
    counts = {"runs": dict(outcomes), "tools": len(begun), "cut": interrupted}
    print(json.dumps({**counts, "continued": [event.at.timestamp() for event in continued]}))
