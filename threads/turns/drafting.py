"""Drafts: what an agent is writing, stored now and then so that nothing is lost with a run that fails."""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError

from artifacts.log import Entry
from artifacts.models import Artifact
from threads.models import Draft, Run, Thread
from threads.turns.saving import Turn, held_run
from threads.turns.writing import write_as_turn

CALL_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the tool call `call` has written of an artifact so far; `artifact` is the id of the one it is to change."""

    call: str
    kind: str
    title: str
    data: dict[str, Any]
    artifact: str | None = None


def store_draft(turn: Turn, snapshot: Snapshot) -> None:
    """Store the latest snapshot. Raises `ClaimLost`."""

    def decide(entry: Entry, thread: Thread) -> None:
        keep(entry, turn, held_run(thread, turn), snapshot)

    write_as_turn(turn.claimed.thread, decide)


def keep(entry: Entry, turn: Turn, run: Run, snapshot: Snapshot) -> None:
    """Store a snapshot in a transaction of the turn's, unless its artifact is committed."""
    if snapshot.call in turn.committed:
        return
    written = {
        "thread_id": run.thread_id,
        "kind": snapshot.kind,
        "title": snapshot.title[:200],
        "data": snapshot.data,
        "artifact_id": _known(entry, snapshot.artifact),
        "updated_at": entry.at,
    }
    Draft.objects.update_or_create(run=run, call=snapshot.call[:CALL_LIMIT], defaults=written)


def _known(entry: Entry, artifact: str | None) -> str | None:
    """The id of an artifact of this workspace; None for what is none: a tool may say anything."""
    if artifact is None:
        return None
    try:
        return str(Artifact.objects.only("pk").get(pk=artifact, workspace=entry.workspace).pk)
    except (Artifact.DoesNotExist, ValidationError, ValueError):
        return None


def supersede(turn: Turn, call: str) -> None:
    """The draft's artifact is committed. Called in that transaction."""
    turn.committed.add(call)
    own = Draft.objects.filter(run_id=turn.claimed.run, call=call[:CALL_LIMIT])
    own.update(state=Draft.State.SUPERSEDED)
