"""The one way in which a run ends before its work is done: by a stop, a failure, or because nobody can go on.

It withdraws open requests, closes the history (no call stays unanswered, and a mark keeps the next turn from carrying
out what was stopped), records `run_ended` and releases the claim.
"""

import json

from django.db import connection

from artifacts.log import Entry
from artifacts.statements import Statement, inserting, updating
from threads.core import events, history, status
from threads.core.history import FAILED_MARK, NOT_STARTED, STOPPED_MARK, Return
from threads.models import Chunk, Draft, Run, Thread
from threads.turns.delivering import deliver_replies
from threads.turns.owed import owed, tail_of
from threads.turns.settling import close_requests


def close(entry: Entry, thread: Thread, run: Run, outcome: str, code: str = "", reason: str = "") -> None:
    """End `run` as stopped or failed. `code` is for programs, `reason` a sentence for people."""
    close_requests(entry, run)
    if run.status == status.READY:
        deliver_replies(entry, thread, run)
    entry.flush()  # what the turn has just saved
    results = owed(entry, run, history.open_calls(tail_of(thread)))
    parts = [
        history.tool_return(call, result or Return("interrupted", NOT_STARTED))
        for call, result in results.items()
    ]
    mark = STOPPED_MARK if outcome == status.STOPPED else FAILED_MARK
    messages = [history.request([*parts, history.prompt(mark)])]
    entry.store(inserting(Chunk(thread=thread, run=run, seq=thread.taken_seq, messages=json.dumps(messages))))
    record_end(entry, thread, run, outcome, code, reason)


def record_end(
    entry: Entry, thread: Thread, run: Run, outcome: str, code: str = "", reason: str = ""
) -> None:
    """Append the one `run_ended` and let go of the thread."""
    data = {"run": str(run.pk), "outcome": outcome, "code": code, "reason": reason, "usage": run.usage}
    entry.append(events.RUN_ENDED, data, thread=str(thread.pk), about=run.seq)
    run.status, run.ended_at, run.code, run.reason = outcome, entry.at, code, reason
    ended = updating(run, "status", "ended_at", "code", "reason", "usage", "attempt")
    entry.store(ended, _leaving_drafts(run), letting_go(thread))


def _leaving_drafts(run: Run) -> Statement:
    """What the run was still writing stays as it is."""
    left, writing, key = (
        Draft.State.LEFT,
        Draft.State.WRITING,
        Run._meta.pk.get_db_prep_value(run.pk, connection),
    )
    return Statement(
        f"UPDATE {Draft._meta.db_table} SET state = %s WHERE run_id = %s AND state = %s",  # noqa: S608 (a name of ours)
        [left.value, key, writing.value],
    )


def letting_go(thread: Thread) -> Statement:
    """Release the claim, with how far the log is taken: whoever looks next may take the thread."""
    thread.claim, thread.owner, thread.claimed_until = None, "", None
    return updating(thread, "claim", "owner", "claimed_until", "taken_seq")
