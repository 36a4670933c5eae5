"""Drafts: what an agent is writing, stored now and then so that nothing is lost with a run that fails."""

from typing import Any

from artifacts.core.actors import agent_actor
from artifacts.log import Entry
from artifacts.models import Artifact
from threads.models import Draft, Thread
from threads.turns.saving import Turn, held_run
from threads.turns.writing import write_in_thread

CALL_LIMIT = 200


def store_draft(
    turn: Turn, call: str, kind: str, title: str, data: dict[str, Any], artifact: str | None
) -> None:
    """Store the latest snapshot of what the tool call `call` writes. Raises `ClaimLost`."""

    def decide(entry: Entry, thread: Thread) -> None:
        run = held_run(thread, turn)
        known = Artifact.objects.filter(pk=artifact, workspace=entry.workspace).first() if artifact else None
        values = {"kind": kind, "title": title[:200], "data": data, "artifact": known, "updated_at": entry.at}
        if (
            not Draft.objects.filter(run=run, call=call[:CALL_LIMIT])
            .exclude(state=Draft.State.WRITING)
            .exists()
        ):
            Draft.objects.update_or_create(
                run=run, call=call[:CALL_LIMIT], defaults={**values, "thread": thread}
            )

    write_in_thread(turn.claimed.thread, agent_actor(turn.claimed.thread), decide)


def supersede(run_id: str, call: str) -> None:
    """The draft's artifact is committed. Called in that transaction."""
    Draft.objects.filter(run_id=run_id, call=call[:CALL_LIMIT]).update(state=Draft.State.SUPERSEDED)
