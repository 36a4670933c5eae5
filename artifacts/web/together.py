"""What many readers wait for is made once in this process, and kept for a while for those who come a little later."""

import asyncio
import contextvars
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from typing import Any


class Together[K: Hashable, T]:
    """Makes something once for each key; what failed is made anew. The last `kept` are kept."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._tasks: OrderedDict[K, asyncio.Task[T]] = OrderedDict()

    async def get(self, key: K, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What `make` makes, for whoever asks under this key. Who stops waiting stops nobody else."""
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception())):
            loop = asyncio.get_running_loop()
            task = self._tasks[key] = loop.create_task(make(), context=contextvars.Context())
            while len(self._tasks) > self._kept:
                self._tasks.popitem(last=False)
        return await asyncio.shield(task)
