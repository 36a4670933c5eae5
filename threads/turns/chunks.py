"""Stored history, read from its newest chunk back: whoever needs its end reads no more than that."""

from collections.abc import Iterator
from functools import cache
from uuid import UUID

from django.db.models import QuerySet

from artifacts.prepared import Prepared, given_id, given_number
from threads.core.history import Stored
from threads.models import Chunk

FIRST_BATCH, LARGEST_BATCH = 4, 64
NEWER_THAN_ALL = 2**63 - 1


def newest_first(thread_id: str) -> Iterator[Stored]:
    """A thread's chunks, the newest first, ever more a query. No cursor: outside a transaction one holds them all."""
    size, before = FIRST_BATCH, NEWER_THAN_ALL
    while batch := _batch(size).rows(thread=thread_id, before=before):
        for _, run, messages in batch:
            yield Stored(str(run), messages)
        if len(batch) < size:
            return
        size, before = min(2 * size, LARGEST_BATCH), batch[-1][0]


@cache
def _batch(size: int) -> Prepared[tuple[int, UUID, str]]:
    """The newest so many chunks before one: key, run and messages of each."""

    def query() -> QuerySet[Chunk, tuple[int, UUID, str]]:
        chunks = Chunk.objects.filter(thread_id=given_id("thread"), pk__lt=given_number("before"))
        return chunks.order_by("-id").values_list("pk", "run_id", "messages")[:size]

    return Prepared(query)
