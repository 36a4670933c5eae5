"""How a request can be answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, in words."""

    text: str


@dataclass(frozen=True, slots=True)
class Approve:
    """Let the tool run. `versions` maps the artifacts that were shown to the versions they were shown in."""

    versions: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decline:
    """Do not let the tool run; the agent is told why."""

    reason: str = ""


Decision = Answer | Approve | Decline

QUESTION, APPROVAL = "question", "approval"
OPEN, ANSWERED, APPROVED, DECLINED, CLOSED = "open", "answered", "approved", "declined", "closed"
