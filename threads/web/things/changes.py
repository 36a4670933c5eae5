"""What people did to a thread itself, in a few words each."""

from collections.abc import Mapping
from typing import Any

from artifacts.core.envelope import Envelope
from threads.core import events
from threads.models import Thread

SETTLED = {"published": "made a document of the draft", "discarded": "discarded the draft"}

WORDS = {
    events.STOP_REQUESTED: "asked to stop",
    events.RETRY_REQUESTED: "asked to try again",
    events.THREAD_ARCHIVED: "archived this thread",
    events.THREAD_UNARCHIVED: "brought this thread back",
}

MODES = {
    Thread.Mode.EDIT: "lets the agent edit",
    Thread.Mode.SUGGEST: "lets the agent only suggest",
}


def changed(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """Who did what."""
    match event.type:
        case events.THREAD_RENAMED:
            return {"did": f"named this thread “{event.data['title'][:200]}”"}
        case events.MODE_CHANGED:
            return {"did": MODES.get(event.data["mode"], "changed what the agent may do")}
        case events.DRAFT_SETTLED:
            did = SETTLED[event.data["state"]] if not event.data["proposal"] else "proposed the draft"
            return {"did": f"{did} “{event.data['title'][:200] or 'without a title'}”"}
        case _:
            return {"did": WORDS[event.type]}
