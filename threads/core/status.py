"""The states of a run, and what they make of a thread."""

RUNNING, PAUSED, READY = "running", "paused", "ready"
COMPLETED, STOPPED, FAILED = "completed", "stopped", "failed"
ENDED = (COMPLETED, STOPPED, FAILED)
IDLE = "idle"

ATTEMPTS = 3


def of_thread(run_status: str | None) -> str:
    """`idle`, `running` or `paused`. A run that is ready to resume counts as running."""
    if run_status in (RUNNING, READY):
        return RUNNING
    return PAUSED if run_status == PAUSED else IDLE
