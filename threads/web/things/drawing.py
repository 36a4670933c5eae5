"""Which template draws which event, and which parts of a thing a later event changes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.template.loader import render_to_string

from artifacts.core import events as artifact_events
from artifacts.core.envelope import Envelope
from threads.core import events
from threads.web.things.changes import changed
from threads.web.things.messages import message, notice, words
from threads.web.things.requests import request
from threads.web.things.runs import ended, started
from threads.web.things.tools import called, told


@dataclass(frozen=True, slots=True)
class Thing:
    """What `event` created, with the newest event of each type about it."""

    event: Envelope
    about: Mapping[str, Envelope] = field(default_factory=dict)


type Look = Callable[[Envelope, Mapping[str, Envelope]], dict[str, Any]]


def _plain(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    return {}


LOOKS: dict[str, tuple[str, Look]] = {
    events.MESSAGE_POSTED: ("message", message),
    events.AGENT_RESPONDED: ("words", words),
    events.TOOL_CALLED: ("tool", called),
    events.CHANGES_TOLD: ("told", told),
    events.QUESTION_ASKED: ("request", request),
    events.APPROVAL_ASKED: ("request", request),
    events.RUN_STARTED: ("started", started),
    events.STOP_REQUESTED: ("changed", changed),
    events.RETRY_REQUESTED: ("changed", changed),
    events.THREAD_RENAMED: ("changed", changed),
    events.MODE_CHANGED: ("changed", changed),
    events.THREAD_ARCHIVED: ("changed", changed),
    events.THREAD_UNARCHIVED: ("changed", changed),
    events.DRAFT_SETTLED: ("changed", changed),
    events.NOTICE_POSTED: ("message", notice),
    events.RUN_ENDED: ("ended", ended),
    artifact_events.ARTIFACT_CREATED: ("made", _plain),
    artifact_events.ARTIFACT_PUBLISHED: ("published", _plain),
    artifact_events.CHANGE_PROPOSED: ("proposed", _plain),
}
"""The template and what it needs, for each event that is seen. All others leave a mark alone."""

PARTS = {
    events.MESSAGE_DELIVERED: ("state", "no_slot"),
    events.MESSAGE_WITHDRAWN: ("state", "no_slot"),
    events.TOOL_RETURNED: ("head", "outcome"),
    events.REQUEST_ANSWERED: ("verdict", "no_slot"),
}
"""The parts of a thing that an event about it replaces."""


def draw(thing: Thing, extra: Mapping[str, Any] | None = None) -> str:
    """The element that the event is in the transcript, once. `extra` is what a page adds for its viewer."""
    name, look = LOOKS.get(thing.event.type, ("mark", _plain))
    context = {"event": thing.event, **look(thing.event, thing.about), **(extra or {})}
    return render_to_string(f"threads/things/{name}.html", context)


def draw_changes(thing: Thing, change: Envelope) -> str:
    """The parts of a thing that `change` replaces, each saying where it goes."""
    name, look = LOOKS.get(thing.event.type, ("mark", _plain))
    parts = PARTS.get(change.type, ())
    if not parts or name == "mark":
        return ""
    context = {"event": thing.event, "oob": True, **look(thing.event, thing.about)}
    return "".join(render_to_string(f"threads/things/{name}.html#{part}", context) for part in parts)


def gathered(log: Iterable[Envelope], later: Iterable[Envelope] = ()) -> dict[int, Thing]:
    """The things of some events by `seq`, with what those and `later` ones say about them."""
    listed = list(log)
    about: dict[int, dict[str, Envelope]] = {event.seq: {} for event in listed}
    for event in sorted([*listed, *later], key=lambda event: event.seq):
        if event.about in about:
            about[event.about][event.type] = event
    return {event.seq: Thing(event, about[event.seq]) for event in listed}
