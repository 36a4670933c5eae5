"""How a request can be answered."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Approve:
    """Let the tool run. `versions` maps the artifacts that were shown to the versions they were shown in.

    `arguments`, all of them, are what it runs with instead of what the model gave; None leaves those.
    """

    versions: Mapping[str, int] = field(default_factory=dict)
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Decline:
    """Do not let the tool run; the agent is told why."""

    reason: str = ""


Decision = Answer | Approve | Decline

QUESTION, APPROVAL = "question", "approval"
OPEN, ANSWERED, APPROVED, DECLINED, CLOSED = "open", "answered", "approved", "declined", "closed"


def shown_versions(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The versions that a form carried along, by artifact: what is no number that a version can have is left out."""
    return {id: int(version) for id, version in pairs if version.isdecimal() and len(version) < 10}
