"""How a run goes on and ends."""

from collections.abc import Mapping
from typing import Any

from artifacts.core.envelope import Envelope

WENT_ON = {"continue": "The server was restarted in between. The agent goes on from what was saved."}
"""What to say of a turn that nobody asked for: whatever was asked is on the page already."""


ADVICE = {
    "internal": "What was written is kept. Try again; if it fails again, tell whoever runs this server.",
    "configuration": "Whoever runs this server can set it right. Then try again.",
    "abandoned": "What was written is kept. Try again, or say it in other words.",
}
"""What to do about a failure whose reason does not say it."""


def started(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """A turn begins; seen only where it needs an explanation."""
    return {"remark": WENT_ON.get(event.data["trigger"], "")}


def ended(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """The run's end: how, why, and what it used."""
    usage = event.data.get("usage") or {}
    return {
        "outcome": event.data["outcome"],
        "reason": event.data.get("reason") or "",
        "advice": ADVICE.get(event.data.get("code") or "", ""),
        "requests": usage.get("requests", 0),
        "tokens_in": f"{usage.get('input_tokens', 0):,}",
        "tokens_out": f"{usage.get('output_tokens', 0):,}",
    }
