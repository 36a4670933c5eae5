"""Change notes: what others did to artifacts, as attributed sentences for an agent.

Pure functions of events. Several edits of one artifact, by whomever, become one note, in which each actor's part is
theirs. A decision on the agent's own proposal is told with the reason, and with what the person changed of it. Whatever
people wrote is quoted, shortened, and cannot close or fake the tags around it (`framed`).
"""

import re
from collections.abc import Iterable
from itertools import groupby

from artifacts.core import events
from artifacts.core.actors import Actor
from artifacts.core.envelope import Data, Envelope

TAGS = (
    "workspace-changes",
    "followed-artifacts",
    "artifact",
    "proposal",
    "message",
    "turn-stopped",
    "turn-failed",
    "turn-retried",
    "message-withdrawn",
    "left-out",
)
PASSAGE_LIMIT = 1_000
PASSAGES_LIMIT = 20
NAMES_LIMIT = 3
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
    """The events that an agent is to be told: about artifacts in its focus, done by somebody else.

    A proposal that was accepted is two events in the log. Its author is told the decision, everybody else the edit.
    """
    return [
        event
        for event in log
        if event.type in events.ABOUT_ARTIFACTS
        and event.artifact in focus
        and not event.actor.is_same(me)
        and _is_for(event, me)
    ]


def notes(log: Iterable[Envelope]) -> list[str]:
    """One sentence for each event, or for all edits of one artifact between two others of its events.

    The artifacts come in the order in which the log first names them.
    """
    by_artifact: dict[str | None, list[Envelope]] = {}
    for event in log:
        by_artifact.setdefault(event.artifact, []).append(event)
    return [note for about in by_artifact.values() for note in _notes_of_one(about)]


def _is_for(event: Envelope, me: Actor) -> bool:
    if event.type == events.ARTIFACT_EDITED:
        return not (accepted := event.data.get("accepted")) or not _is(accepted["author"], me)
    if event.type == events.PROPOSAL_RESOLVED:
        return event.data["state"] == "rejected" or _is(event.data["author"], me)
    return True


def _is(author: dict[str, str], me: Actor) -> bool:
    return (author["kind"], author["id"]) == (me.kind, me.id)


def _notes_of_one(about: list[Envelope]) -> Iterable[str]:
    for is_edit, group in groupby(about, key=lambda event: event.type == events.ARTIFACT_EDITED):
        if is_edit:
            yield _edits(list(group))
        else:
            yield from (_note(event) for event in group)


def _note(event: Envelope) -> str:
    who, what, data = _in_one_line(event.actor.name), _named(event), event.data
    match event.type:
        case events.ARTIFACT_CREATED:
            return f"{who} created {what}."
        case events.ARTIFACT_ARCHIVED:
            return f"{who} archived {what}."
        case events.ARTIFACT_UNARCHIVED:
            return f"{who} brought {what} back from the archive."
        case events.ARTIFACT_PUBLISHED:
            return f"{who} published version {data['version']} of {what}."
        case events.ARTIFACT_UNPUBLISHED:
            return f"{who} took the public page of version {data['version']} of {what} away."
        case events.CHANGE_PROPOSED:
            return f"{who} proposed a change of {what}, which waits for a decision: {_clauses([event])}."
        case events.PROPOSAL_WITHDRAWN:
            return f"{who} withdrew a proposal for {what}."
        case _:
            return _decision(event, who, what)


def _decision(event: Envelope, who: str, what: str) -> str:
    """What became of a proposal: the agent's own, or somebody else's that was rejected."""
    data = event.data
    called = f" {_quoted(data['summary'])}" if data["summary"] else ""
    proposal = f"the proposal{called} of {_in_one_line(data['author']['name'])} for {what}"
    if data["state"] == "rejected":
        reason = f", because: {_quoted(data['reason'])}" if data["reason"] else ", without a reason"
        return f"{who} rejected {proposal}{reason}."
    changed = f", and changed it: {'; '.join(_changed(data['own']))}" if data["own"] else ""
    return f"{who} accepted {proposal}, now version {data['version']}{changed}."


def _edits(group: list[Envelope]) -> str:
    last = group[-1]
    names = list(dict.fromkeys(_in_one_line(event.actor.name) for event in group))
    who = " and ".join([*names[:NAMES_LIMIT], "others"] if len(names) > NAMES_LIMIT else names)
    said = _clauses(group, attributed=len(names) > 1)
    return f"{who} changed {_named(last)}, now version {last.data['version']}: {said}."


def _named(event: Envelope) -> str:
    return f"“{_in_one_line(event.data['title'])}” ({event.artifact})"


def _clauses(group: list[Envelope], *, attributed: bool = False) -> str:
    """What the events say, bounded; `attributed`, each part begins with the name of who did it."""
    said: list[str] = []
    for actor, part in groupby(group, key=lambda event: event.actor):
        first, *rest = [clause for event in part for clause in _edit_clauses(event)]
        said += [f"{_in_one_line(actor.name)} {first}" if attributed else first, *rest]
    more = sum(event.data.get("passages", 1) for event in group) - PASSAGES_LIMIT
    if more > 0:
        said = [*said[:PASSAGES_LIMIT], f"and {more} more; read it to see them all"]
    return "; ".join(said)


def _edit_clauses(event: Envelope) -> list[str]:
    accepted, restored = event.data.get("accepted"), event.data.get("restored")
    by = [f"accepted a proposal of {_in_one_line(accepted['author']['name'])}"] if accepted else []
    back = [f"restored version {restored}"] if restored else []
    return [*by, *back, *_changed(event.data)]


def _changed(data: Data) -> list[str]:
    """What was changed, in the kind's own words or by passages."""
    if described := data.get("described"):
        return [_description(described)]
    return [_clause(change["old"], change["new"]) for change in data.get("changes", ())] or [
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
