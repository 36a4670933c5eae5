"""The one way in which a run ends before its work is done: by a stop, a failure, or because nobody can go on.

It withdraws open requests, closes the history (no call stays unanswered, and a mark keeps the next turn from carrying
out what was stopped), records `run_ended` and releases the claim.
"""

import json

from artifacts.log import Entry
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
    results = owed(entry, run, history.open_calls(tail_of(thread)))
    parts = [
        history.tool_return(call, result or Return("interrupted", NOT_STARTED))
        for call, result in results.items()
    ]
    mark = STOPPED_MARK if outcome == status.STOPPED else FAILED_MARK
    messages = [history.request([*parts, history.prompt(mark)])]
    Chunk.objects.create(thread=thread, run=run, seq=thread.taken_seq, messages=json.dumps(messages))
    record_end(entry, thread, run, outcome, code, reason)


def record_end(
    entry: Entry, thread: Thread, run: Run, outcome: str, code: str = "", reason: str = ""
) -> None:
    """Append the one `run_ended` and let go of the thread."""
    data = {"run": str(run.pk), "outcome": outcome, "code": code, "reason": reason, "usage": run.usage}
    entry.append(events.RUN_ENDED, data, thread=str(thread.pk), about=run.seq)
    run.status, run.ended_at, run.code, run.reason = outcome, entry.at, code, reason
    run.save(update_fields=("status", "ended_at", "code", "reason", "usage", "attempt"))
    Draft.objects.filter(run=run, state=Draft.State.WRITING).update(state=Draft.State.LEFT)
    let_go(thread)


def let_go(thread: Thread) -> None:
    """Release the claim: whoever looks next may take the thread."""
    thread.claim, thread.owner, thread.claimed_until = None, "", None
    thread.save(update_fields=("claim", "owner", "claimed_until"))
