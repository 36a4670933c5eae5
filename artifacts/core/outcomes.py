"""What came of a command. `seq` is that of its last event, or the log's head where nothing had to change."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Applied:
    """An artifact is as the command says: its version now, or the version that the command was about."""

    artifact: str
    version: int
    seq: int
    title: str
    publication: str | None = None


@dataclass(frozen=True, slots=True)
class Proposed:
    """A change waits for a person's decision."""

    proposal: str
    artifact: str
    seq: int
    title: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """A proposal was decided: `state` says how, `version` is the artifact's version now."""

    proposal: str
    artifact: str
    version: int
    state: str
    seq: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """It is in the log, and there is no more to say."""

    seq: int


type Outcome = Applied | Proposed | Resolved | Recorded

KINDS: dict[str, type[Applied | Proposed | Resolved | Recorded]] = {
    kind.__name__: kind for kind in (Applied, Proposed, Resolved, Recorded)
}


def as_data(outcome: Outcome) -> dict[str, Any]:
    """The outcome as JSON, for who asks again."""
    return {"outcome": type(outcome).__name__, **asdict(outcome)}


def from_data(data: dict[str, Any]) -> Outcome:
    """The outcome that `as_data` stored."""
    return KINDS[data["outcome"]](**{name: value for name, value in data.items() if name != "outcome"})
