"""Something happens in the middle of a reading: another connection commits it before one of the reading's queries."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connection, connections


class At:
    """Lets something happen before the query of this number, or the next that is outside of a transaction."""

    def __init__(self, number: int, happening: Callable[[], object]) -> None:
        self.left, self.happening, self.came = number, happening, False

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Queries are counted meanwhile. Afterwards: `came`, whether there were as many."""
        with connection.execute_wrapper(self._before):
            yield

    def _before(self, execute: Any, sql: str, params: Any, many: Any, context: Any) -> Any:
        if self.left <= 0 and not self.came and not connection.in_atomic_block:
            self.came = True
            with ThreadPoolExecutor(1) as elsewhere:
                elsewhere.submit(self._happen).result()
        self.left -= 1
        return execute(sql, params, many, context)

    def _happen(self) -> None:
        try:
            self.happening()
        finally:
            connections.close_all()
