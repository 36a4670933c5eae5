"""What one turn knows of itself: its claim, the thread's history and focus, and its hands on the workspace."""

from dataclasses import dataclass, field
from functools import partial

from django.conf import settings
from pydantic_ai.messages import ModelMessage
from pydantic_ai.tools import DeferredToolResults, ToolApproved, ToolDefinition

from artifacts.core.actors import agent_actor
from artifacts.core.outcomes import Outcome, Recorded
from artifacts.handle import Handle
from artifacts.log import Entry
from threads.agent import history
from threads.core import decisions
from threads.core.arguments import edits_note
from threads.core.history import open_calls
from threads.live import LiveRun
from threads.models import Thread
from threads.turns.claiming import Claimed
from threads.turns.delivering import focus_of
from threads.turns.drafting import supersede
from threads.turns.following import follow
from threads.turns.owed import tail_of
from threads.turns.saving import Turn, require_permitted
from threads.turns.writing import require_claim


@dataclass(slots=True)
class Session:
    """The dependencies of an agent's run. `approved` are results for calls that were approved and are still to run.

    `edits` are notes, by call, for the model: that its call was approved with changed arguments. One that is `leaving`
    hands its run over at the next safe point.
    """

    turn: Turn
    history: list[ModelMessage]
    approved: DeferredToolResults | None
    focus: dict[str, int]
    live: LiveRun
    edits: dict[str, str] = field(default_factory=dict)
    entered: bool = False
    more: bool = False
    leaving: bool = False
    tools: dict[str, ToolDefinition] = field(default_factory=dict)

    @property
    def claimed(self) -> Claimed:
        """The thread, run and person of the turn."""
        return self.turn.claimed

    def handle(self, call: str | None = None) -> Handle:
        """The agent's handle; what it commits is followed from then on, and supersedes the draft of `call`."""
        return Handle(
            workspace=self.claimed.workspace,
            actor=agent_actor(self.claimed.thread),
            guard=partial(guard, self.turn),
            thread=self.claimed.thread,
            then=partial(_then, self.turn, call),
            suggests=partial(_suggests, self.claimed.thread),
        )


def opened(claimed: Claimed, live: LiveRun) -> Session:
    """A session for a claimed thread, with all that it needs read from the database."""
    thread = Thread.objects.select_related("run").get(pk=claimed.thread)
    # A quarter of what may be sent is left for the turn itself.
    loaded = history.load(claimed.thread, settings.ARTIFACTR_SENT_TOKENS * 3 // 4)
    return Session(
        Turn(claimed),
        loaded,
        _approved(thread),
        focus_of(thread),
        live,
        edits=_edits(thread),
    )


def guard(turn: Turn) -> None:
    """Under the lock: raises `ClaimLost`, or `NotPermitted` if the person may no longer write here."""
    require_claim(Thread.objects.only("claim").get(pk=turn.claimed.thread), turn.token)
    require_permitted(turn)


def _approved(thread: Thread) -> DeferredToolResults | None:
    """Results for the calls that wait for their approved run; None if there are none.

    A call that asked again after an approval is known by its last request.
    """
    assert thread.run is not None  # a claimed thread has a run
    if thread.run.paused_seq == 0:
        return None  # nothing was asked yet
    waiting = {call.id for call in open_calls(tail_of(thread))}
    last = {request.call: request for request in thread.run.requests.filter(call__in=waiting)}
    approved = {
        call: ToolApproved(override_args=(request.answer or {}).get("arguments"))
        for call, request in last.items()
        if request.state == decisions.APPROVED
    }
    return DeferredToolResults(approvals=dict(approved)) if approved else None


def _edits(thread: Thread) -> dict[str, str]:
    """What to tell the model with the results of calls that people approved with changed arguments."""
    assert thread.run is not None  # a claimed thread has a run
    approved = thread.run.requests.filter(state=decisions.APPROVED)
    answers = {request.call: request.answer or {} for request in approved}
    return {
        call: edits_note(answer["by"], answer["arguments"])
        for call, answer in answers.items()
        if answer.get("arguments") is not None
    }


def _then(turn: Turn, call: str | None, entry: Entry, outcome: Outcome) -> None:
    if not isinstance(outcome, Recorded):
        follow(entry, turn.claimed.thread, outcome.artifact, turn.claimed.run)
    if call is not None:
        supersede(turn, call)


def _suggests(thread_id: str) -> bool:
    """Under the lock: whether the agent of this thread may only suggest."""
    return Thread.objects.filter(pk=thread_id, mode=Thread.Mode.SUGGEST).exists()
