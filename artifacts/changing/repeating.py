"""A command that is asked for again under its caller's id gets the outcome that it had the first time."""

import hashlib
import json
from typing import Any

from artifacts.core import outcomes
from artifacts.core.commands import Asked
from artifacts.core.outcomes import Outcome
from artifacts.core.rejections import CommandIdReused
from artifacts.core.text import checked
from artifacts.log import Entry
from artifacts.models import Receipt
from artifacts.statements import execute, inserting

COMMAND_ID_LIMIT = 100


def earlier(entry: Entry, command: Asked[Any]) -> Outcome | None:
    """What the same command became before, if it was carried out. Raises `CommandIdReused` if it was another."""
    if command.command_id is None:
        return None
    command_id = checked("command_id", command.command_id, limit=COMMAND_ID_LIMIT)
    receipt = Receipt.objects.filter(**_key(entry), command_id=command_id).first()
    if receipt is not None and receipt.digest != _digest(command):
        raise CommandIdReused
    return outcomes.from_data(receipt.outcome) if receipt is not None else None


def remember(entry: Entry, command: Asked[Any], outcome: Outcome) -> None:
    """Keep the outcome for who asks again."""
    if command.command_id is not None:
        receipt = Receipt(
            **_key(entry),
            command_id=command.command_id,
            digest=_digest(command),
            outcome=outcomes.as_data(outcome),
        )
        execute(inserting(receipt))


def _key(entry: Entry) -> dict[str, Any]:
    return {"workspace": entry.workspace, "actor_kind": entry.actor.kind, "actor_id": entry.actor.id}


def _digest(command: Asked[Any]) -> str:
    asked = json.dumps(command.as_data(), sort_keys=True, default=str)
    return hashlib.sha256(asked.encode()).hexdigest()
