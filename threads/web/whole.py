"""The whole text of an event, where the page shows only its beginning."""

from collections.abc import Iterator
from typing import Any

from django.utils.safestring import mark_safe

from artifacts.core.envelope import Envelope
from artifacts.web.prose import render
from threads.core import events
from threads.web.things.tools import verbatim

SLICE = 10_000
"""Characters of a text that the browser lays out together, once they are in sight."""

VERBATIM = {
    events.TOOL_CALLED: "arguments",
    events.TOOL_RETURNED: "content",
    events.APPROVAL_ASKED: "arguments",
    events.REQUEST_ANSWERED: "arguments",
}


def whole(event: Envelope) -> dict[str, Any]:
    """What `threads/_whole.html` shows: prose as HTML, arguments and results word for word."""
    text = event.data.get("content") or event.data.get("text") or ""
    field = VERBATIM.get(event.type)
    if field is not None:
        return {"event": event, "slices": slices(verbatim(event.data[field])), "field": field}
    return {"event": event, "html": mark_safe(render(str(text))), "field": "text"}  # noqa: S308 (cleaned)


def slices(text: str) -> Iterator[str]:
    """The text in pieces, each of which ends with a line unless that is longer than a piece."""
    at = 0
    while len(text) - at > SLICE:
        end = text.rfind("\n", at, at + SLICE) + 1 or at + SLICE
        yield text[at:end]
        at = end
    yield text[at:]
