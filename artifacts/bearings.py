"""What a task works on, for the lines that it logs: ids alone, never content."""

from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType

_ids: ContextVar[Mapping[str, str]] = ContextVar("bearings", default=MappingProxyType({}))


def work_on(**ids: str) -> None:
    """From now on this task works on these, besides what it was said to work on: `workspace`, `thread`, `run`."""
    _ids.set({**_ids.get(), **ids})


def working_on() -> Mapping[str, str]:
    """What this task works on, by name."""
    return _ids.get()
