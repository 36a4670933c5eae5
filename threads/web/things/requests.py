"""What a run waits for: a card that is open, then says who decided what."""

from collections.abc import Mapping
from typing import Any

from artifacts.core.envelope import Envelope
from threads.core import events
from threads.web.things.tools import cut, laid_out

ARGUMENT_LIMIT = 12_000
SAID_LIMIT = 4_000


def request(event: Envelope, about: Mapping[str, Envelope]) -> dict[str, Any]:
    """A question or an approval. `slot` is where each viewer's form goes while it is open."""
    answered = about.get(events.REQUEST_ANSWERED)
    data = event.data
    return {
        "request": data["request"],
        "asks": data.get("question", ""),
        "tool": data.get("tool", ""),
        "description": data.get("description", ""),
        "arguments": laid_out(data.get("arguments", {}), ARGUMENT_LIMIT),
        "shown": data.get("artifacts", []),
        "state": answered.data["decision"] if answered else "open",
        "said": cut(_said(answered), SAID_LIMIT)[0] if answered else "",
        "by": answered.actor.name if answered else "",
        "answered": answered,
        "edited": _edited(data.get("arguments", {}), answered),
        "at": answered.at if answered else None,
        "by_message": bool(answered and answered.data.get("message")),
    }


def _edited(given: Any, answered: Envelope | None) -> list[tuple[str, str, int]]:
    """What somebody changed in the arguments before they approved, as it is now; what is gone is said to be."""
    changed = answered.data.get("arguments") if answered else None
    if changed is None or not isinstance(given, dict):
        return []
    new = {name: value for name, value in changed.items() if given.get(name) != value or name not in given}
    gone = dict.fromkeys((name for name in given if name not in changed), "(taken out)")
    return laid_out({**new, **gone}, ARGUMENT_LIMIT)


def _said(answered: Envelope) -> str:
    return str(answered.data.get("answer") or answered.data.get("reason") or "")
