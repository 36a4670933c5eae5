"""Stored history, read from its newest chunk back: whoever needs its end reads no more than that."""

from collections.abc import Iterator

from threads.core.history import Stored
from threads.models import Chunk

FIRST_BATCH, LARGEST_BATCH = 4, 64


def newest_first(thread_id: str) -> Iterator[Stored]:
    """A thread's chunks, the newest first, ever more a query. No cursor: outside a transaction one holds them all."""
    rows = Chunk.objects.filter(thread_id=thread_id).order_by("-id")
    size = FIRST_BATCH
    batch = list(rows[:size])
    while batch:
        for chunk in batch:
            yield Stored(str(chunk.run_id), chunk.messages)
        more = rows.filter(pk__lt=batch[-1].pk) if len(batch) == size else rows.none()
        size = min(2 * size, LARGEST_BATCH)
        batch = list(more[:size])
