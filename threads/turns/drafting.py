"""Drafts: what an agent is writing, stored now and then so that nothing is lost with a run that fails."""

from dataclasses import dataclass
from typing import Any

from artifacts.log import Entry
from threads.models import Draft, Run, Thread
from threads.turns.saving import Turn, held_run
from threads.turns.writing import write_as_turn

CALL_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What the tool call `call` has written of an artifact so far; `artifact` is the id of one that it changes."""

    call: str
    kind: str
    title: str
    data: dict[str, Any]
    artifact: str | None = None


def store_draft(turn: Turn, snapshot: Snapshot) -> None:
    """Store the latest snapshot. Raises `ClaimLost`."""

    def decide(entry: Entry, thread: Thread) -> None:
        keep(entry, held_run(thread, turn), snapshot)

    write_as_turn(turn.claimed.thread, decide)


def keep(entry: Entry, run: Run, snapshot: Snapshot) -> None:
    """Store a snapshot in a transaction of the turn's, unless its artifact is committed."""
    call = snapshot.call[:CALL_LIMIT]
    values = {"thread_id": run.thread_id, "kind": snapshot.kind, "updated_at": entry.at}
    written = {"title": snapshot.title[:200], "data": snapshot.data, "artifact_id": snapshot.artifact}
    if not Draft.objects.filter(run=run, call=call).exclude(state=Draft.State.WRITING).exists():
        Draft.objects.update_or_create(run=run, call=call, defaults={**values, **written})


def supersede(run_id: str, call: str) -> None:
    """The draft's artifact is committed. Called in that transaction."""
    Draft.objects.filter(run_id=run_id, call=call[:CALL_LIMIT]).update(state=Draft.State.SUPERSEDED)
