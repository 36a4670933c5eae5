"""Change notes: what others did to artifacts, as attributed sentences for an agent.

Pure functions of events. Several edits of one artifact by one actor in a row become one note. Whatever people wrote
is quoted, shortened, and cannot close or fake the tags around it (`framed`).
"""

import re
from collections.abc import Hashable, Iterable
from itertools import groupby

from artifacts.core import events
from artifacts.core.actors import Actor
from artifacts.core.envelope import Envelope

TAGS = (
    "workspace-changes",
    "followed-artifacts",
    "artifact",
    "message",
    "turn-stopped",
    "turn-failed",
    "left-out",
)
PASSAGE_LIMIT = 1_000
PASSAGES_LIMIT = 20
DESCRIPTION_LIMIT = 4_000

UNSEEN = (
    r"\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What shows as nothing, and so could stand unseen within a tag: a character class for `re`."""

FAKE = re.compile(
    rf"<(?=[\s/{UNSEEN}]*+(?:{'|'.join(f'[{UNSEEN}]*+'.join(map(re.escape, tag)) for tag in TAGS)})(?!\w))",
    re.IGNORECASE,
)


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
    """One sentence for each event, or for each run of edits of one artifact by one actor, in the log's order."""
    return [_note(list(group)) for _, group in groupby(log, key=_together)]


def _together(event: Envelope) -> Hashable:
    return (event.artifact, event.actor) if event.type == events.ARTIFACT_EDITED else event.seq


def _same(one: Actor, other: Actor) -> bool:
    return (one.kind, one.id) == (other.kind, other.id)


def _note(group: list[Envelope]) -> str:
    first, last = group[0], group[-1]
    who = _in_one_line(first.actor.name)
    what = f"“{_in_one_line(last.data['title'])}” ({last.artifact})"
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
        said = [*said[:PASSAGES_LIMIT], f"and {more} more; read it to see them all"]
    return "; ".join(said)


def _edit_clauses(event: Envelope) -> list[str]:
    if described := event.data.get("described"):
        return [_description(described)]
    return [_clause(change["old"], change["new"]) for change in event.data.get("changes", ())] or [
        "nothing visible"
    ]


def _clause(old: str, new: str) -> str:
    if not old.strip() and not new.strip():
        return "changed white space"
    if not old.strip():
        return f"added {_quoted(new)}"
    if not new.strip():
        return f"removed {_quoted(old)}"
    return f"replaced {_quoted(old)} with {_quoted(new)}"


def _quoted(passage: str) -> str:
    if len(passage) <= PASSAGE_LIMIT:
        return f"“{framed(passage)}”"
    return f"“{framed(passage[:PASSAGE_LIMIT])}…” (shortened)"


def _description(words: str) -> str:
    if len(words) <= DESCRIPTION_LIMIT:
        return framed(words)
    return f"{framed(words[:DESCRIPTION_LIMIT])}… (shortened; read it to see all)"


def _in_one_line(name: str) -> str:
    """A name or title, which cannot begin a line of its own: there it could pass for another note."""
    return framed(" ".join(name.split()))
