"""An event as plain data, as rules, notes and pages read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from artifacts.core.actors import Actor

type Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Envelope:
    """One fact of a workspace's log.

    `seq` counts from 1 without a gap. `about` is the `seq` of the event that created the thing which this one
    changes, or None where this one creates a thing. `thread` and `artifact` are ids as text.
    """

    workspace: str
    seq: int
    type: str
    data: Data
    actor: Actor
    at: datetime
    thread: str | None = None
    artifact: str | None = None
    about: int | None = None
    key: str | None = None


def seq_in(text: str) -> int | None:
    """The `seq` that a text from outside names, or None: digits, and no more than the column of events holds."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def id_in(text: str) -> UUID | None:
    """The id that a text from outside names, or None."""
    try:
        return UUID(text)
    except ValueError:
        return None
