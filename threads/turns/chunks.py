"""Stored history, read from its newest chunk back: whoever needs its end reads no more than that."""

from collections.abc import Iterator

from threads.core.history import Stored
from threads.models import Chunk

BATCH = 20


def newest_first(thread_id: str) -> Iterator[Stored]:
    """A thread's chunks, the newest first, a few a query. No cursor: one outside a transaction would hold them all."""
    rows = Chunk.objects.filter(thread_id=thread_id).order_by("-id")
    batch = list(rows[:BATCH])
    while batch:
        for chunk in batch:
            yield Stored(str(chunk.run_id), chunk.messages)
        batch = list(rows.filter(pk__lt=batch[-1].pk)[:BATCH]) if len(batch) == BATCH else []
