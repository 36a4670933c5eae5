"""How a run goes on and ends."""

from collections.abc import Mapping
from typing import Any

from artifacts.core.envelope import Envelope

WENT_ON = {"continue": "The server was restarted in between. The agent goes on from what was saved."}
"""What to say of a turn that nobody asked for: whatever was asked is on the page already."""


def started(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """A turn begins; seen only where it needs an explanation."""
    return {"remark": WENT_ON.get(event.data["trigger"], "")}


def ended(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """The run's end: how, why, and what it used."""
    usage = event.data.get("usage") or {}
    return {
        "outcome": event.data["outcome"],
        "reason": event.data.get("reason") or "",
        "requests": usage.get("requests", 0),
        "tokens_in": f"{usage.get('input_tokens', 0):,}",
        "tokens_out": f"{usage.get('output_tokens', 0):,}",
    }
