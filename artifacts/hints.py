"""Commits, told to the other processes: how far a log has grown, and what of it asks somebody to act.

A hint carries no content. Whoever follows the log reads it in the database; without hints a poll does.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from artifacts import announcing
from artifacts.core.envelope import Envelope
from artifacts.relay import relay

LOG = "log"
"""The topic: a workspace, its head, the types of what was written with their threads, and whether the process acts on
it by itself."""

WOKEN = "woken"
"""In the place of a type: nothing was written, but the thread has work."""

type Acts = Callable[[], bool]


@contextmanager
def passing_on(acts: Acts) -> Iterator[None]:
    """Tell the other processes of this one's commits, and whether it acts on them, for the duration of a block."""

    def pass_on(workspace_id: str, events: list[Envelope]) -> None:
        about = [[event.type, event.thread] for event in events if event.thread is not None]
        relay.say(LOG, [workspace_id, max((event.seq for event in events), default=0), about, acts()])

    with announcing.hearing(announcing.EVERY_WORKSPACE, pass_on):
        yield


def wake(workspace_id: str, thread_id: str) -> None:
    """Tell the other processes that a thread has work which this one leaves to them."""
    relay.say(LOG, [workspace_id, 0, [[WOKEN, thread_id]], False])


def _hear(by: str, said: Any) -> None:
    workspace_id, head, *_ = said
    announcing.hint(workspace_id, head)


relay.hearing(LOG, _hear)
