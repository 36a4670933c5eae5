"""Change notes: what others did to artifacts, as attributed sentences for an agent.

Pure functions of events. Several edits of one artifact by one actor in a row become one note. Whatever people wrote
is quoted, shortened, and cannot close or fake the tags around it (`framed`).
"""

import re
from collections.abc import Iterable
from itertools import groupby

from artifacts.core import events
from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope

TAGS = ("workspace-changes", "followed-artifacts", "artifact", "message", "turn-stopped", "turn-failed")
FAKE = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
PASSAGE_LIMIT = 1_000
PASSAGES_LIMIT = 20


def framed(text: str) -> str:
    """`text` in which nothing opens or closes one of our tags: such a `<` becomes `&lt;`."""
    return FAKE.sub("&lt;", text)


def changes_of_others(log: Iterable[Envelope], me: Actor, focus: set[str]) -> list[Envelope]:
    """The events that an agent is to be told: about artifacts in its focus, done by somebody else."""
    return [
        event
        for event in log
        if event.type in events.ABOUT_ARTIFACTS and event.artifact in focus and not _same(event.actor, me)
    ]


def notes(log: Iterable[Envelope]) -> list[str]:
    """One sentence for each run of like changes, in the log's order."""
    grouped = groupby(log, key=lambda event: (event.type, event.artifact, event.actor))
    return [_note(list(group)) for _, group in grouped]


def _same(one: Actor, other: Actor) -> bool:
    return (one.kind, one.id) == (other.kind, other.id)


def _note(group: list[Envelope]) -> str:
    first, last = group[0], group[-1]
    who = framed(first.actor.name)
    what = f"“{framed(last.data['title'])}” ({last.artifact})"
    match last.type:
        case events.ARTIFACT_CREATED:
            return f"{who} created {what}."
        case events.ARTIFACT_ARCHIVED:
            return f"{who} archived {what}."
        case events.ARTIFACT_PUBLISHED:
            return f"{who} published version {last.data['version']} of {what}."
        case _:
            return f"{who} changed {what}, now version {last.data['version']}: {_clauses(group)}."


def _clauses(group: list[Envelope]) -> str:
    said = [clause for event in group for clause in _edit_clauses(event)]
    more = sum(event.data.get("passages", 1) for event in group) - PASSAGES_LIMIT
    if more > 0:
        said = [*said[:PASSAGES_LIMIT], f"and {more} more changes; read it to see them all"]
    return "; ".join(said)


def _edit_clauses(event: Envelope) -> list[str]:
    if described := event.data.get("described"):
        return [framed(described)]
    return [_clause(change["old"], change["new"]) for change in event.data.get("changes", ())] or [
        "nothing visible"
    ]


def _clause(old: str, new: str) -> str:
    if not old.strip():
        return f"added {_quoted(new)}"
    if not new.strip():
        return f"removed {_quoted(old)}"
    return f"replaced {_quoted(old)} with {_quoted(new)}"


def _quoted(passage: str) -> str:
    text = framed(passage.strip() or passage)
    return f"“{text}”" if len(text) <= PASSAGE_LIMIT else f"“{text[:PASSAGE_LIMIT]}…” (shortened)"
