"""What people and the agent say."""

from collections.abc import Mapping
from typing import Any

from django.utils.safestring import mark_safe

from artifacts.core.envelope import Envelope
from artifacts.web.prose import LIMIT, bounded
from threads.core import events


def message(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """A person's message; it waits until the agent was given it, or until its author takes it back."""
    prose = bounded(event.data["content"])
    return {
        "html": mark_safe(prose.html),  # noqa: S308 (cleaned)
        "left": prose.left,
        "fate": _fate(about),
        "may_be_withdrawn": not event.data.get("reply"),
    }


def notice(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """What a person says to the others, and not to the agent."""
    return {**message(event, about), "fate": "notice"}


def _fate(about: Mapping[str, Envelope]) -> str:
    if events.MESSAGE_WITHDRAWN in about:
        return "withdrawn"
    return "told" if events.MESSAGE_DELIVERED in about else "open"


def words(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """What the agent said, and thought before it."""
    prose = bounded(event.data.get("text") or "")
    thinking = event.data.get("thinking") or ""
    return {
        "html": mark_safe(prose.html),  # noqa: S308 (cleaned)
        "left": prose.left,
        "thinking": thinking[:LIMIT],
        "thinking_left": len(thinking[LIMIT:]),
        "parts": " ".join(f"part-{part}" for part in event.data.get("parts", ())),
    }
