"""A turn saves what it has done so far: facts for the log, and the messages they came with.

What is to be written is frozen into a `Write` before the first try. Its key makes a repeated try, after an answer that
was lost, write nothing twice.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from artifacts.core import rules
from artifacts.core.rejections import Rejection
from artifacts.core.text import cleaned
from artifacts.log import Entry
from artifacts.members import role_of
from artifacts.models import Event
from threads.core import events, history
from threads.core.limits import Used
from threads.models import Chunk, Run, Thread
from threads.turns.charging import charge
from threads.turns.claiming import Claimed
from threads.turns.withdrawing import withdrawn_of
from threads.turns.writing import NotPermitted, require_claim, write_as_turn


@dataclass(frozen=True, slots=True)
class Fact:
    """An event to be. `about` is a `seq`; a tool's return is about the event of its call, found by `data["call"]`."""

    type: str
    data: dict[str, Any]
    about: int | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """Facts, and the chunk of history (JSON) they came with, with how far the log is in it.

    `used` are the model requests whose responses are in it, `seconds` how long the turn worked since its last write.
    """

    key: str
    facts: Sequence[Fact]
    messages: str | None = None
    position: int | None = None
    used: Sequence[Used] = ()
    seconds: float = 0


@dataclass(slots=True)
class Turn:
    """A claimed thread, with what its saves need to know of one another.

    `committed` are the calls whose artifact is committed: what they wrote is no draft any more, however late it comes.
    """

    claimed: Claimed
    called: dict[str, int] = field(default_factory=dict)
    committed: set[str] = field(default_factory=set)

    @property
    def token(self) -> str:
        """The claim's token: unique to this turn."""
        return self.claimed.token


def save(turn: Turn, writes: Sequence[Write]) -> set[int]:
    """Write what is not written yet; return the messages in it that were withdrawn before, and so not delivered.

    Raises `ClaimLost`, or `NotPermitted` if a tool is about to run for nobody.
    """

    def decide(entry: Entry, thread: Thread) -> set[int]:
        run = held_run(thread, turn)
        if any(fact.type == events.TOOL_CALLED for write in writes for fact in write.facts):
            require_permitted(turn)
        withdrawn = [apply(entry, thread, run, turn, write) for write in writes]
        thread.save(update_fields=("taken_seq",))
        run.save(update_fields=("attempt", "usage"))
        return set().union(*withdrawn)

    return write_as_turn(turn.claimed.thread, decide)


def held_run(thread: Thread, turn: Turn) -> Run:
    """The run of the turn that holds the thread. Raises `ClaimLost`."""
    require_claim(thread, turn.token)
    assert thread.run is not None  # a thread that is held has a run
    return thread.run


def apply(entry: Entry, thread: Thread, run: Run, turn: Turn, write: Write) -> set[int]:
    """Append a write's facts and chunk, unless an earlier try did; return what of its messages was withdrawn before.

    The caller saves the thread and the run.
    """
    key = f"{turn.token}:{write.key}"
    delivering = [fact.about for fact in write.facts if fact.type == events.MESSAGE_DELIVERED and fact.about]
    withdrawn = withdrawn_of(thread, delivering) if delivering else set()
    rest = _without(thread, write, withdrawn)
    if not _is_written(entry, thread, key, rest):
        _apply(entry, thread, run, turn, key, rest)
    return withdrawn


def _apply(entry: Entry, thread: Thread, run: Run, turn: Turn, key: str, write: Write) -> None:
    for number, fact in enumerate(write.facts):
        _append(entry, turn, fact, key if number == 0 else None)
    if write.messages is not None:
        _store(thread, run, key, write.messages, write.position)
    charge(entry, run, write.used, write.seconds)


def _is_written(entry: Entry, thread: Thread, key: str, write: Write) -> bool:
    """Whether an earlier try wrote this. A write without facts, all withdrawn, is known by its chunk."""
    if write.facts:
        return entry.find(key) is not None
    return Chunk.objects.filter(thread=thread, key=key).exists()


def _without(thread: Thread, write: Write, withdrawn: Collection[int]) -> Write:
    """The write as if these messages had not been said."""
    if not withdrawn:
        return write
    rows = Event.objects.filter(workspace_id=thread.workspace_id, seq__in=withdrawn)
    words = [cleaned(history.message_prompt(row.actor_name, row.data["content"])) for row in rows]
    facts = [
        fact for fact in write.facts if fact.type != events.MESSAGE_DELIVERED or fact.about not in withdrawn
    ]
    messages = history.without_prompts(write.messages, words) if write.messages is not None else None
    return replace(write, facts=facts, messages=messages)


def require_permitted(turn: Turn) -> None:
    """Raises `NotPermitted` unless the person whom the run acts for may still write here."""
    try:
        rules.require_editor(role_of(turn.claimed.user, turn.claimed.workspace))
    except (Rejection, ValueError):
        raise NotPermitted from None


def _append(entry: Entry, turn: Turn, fact: Fact, key: str | None) -> None:
    data = {"run": turn.claimed.run, **fact.data}
    about = _call_seq(turn, data["call"]) if fact.type == events.TOOL_RETURNED else fact.about
    seq = entry.append(fact.type, data, thread=turn.claimed.thread, about=about, key=key)
    if fact.type == events.TOOL_CALLED:
        turn.called[data["call"]] = seq


def _call_seq(turn: Turn, call: str) -> int | None:
    if call not in turn.called:
        rows = Event.objects.filter(thread=turn.claimed.thread, type=events.TOOL_CALLED).order_by("-seq")
        turn.called.update({row.data["call"]: row.seq for row in reversed(rows[:100])})
    return turn.called.get(call)


def _store(thread: Thread, run: Run, key: str, messages: str, position: int | None) -> None:
    thread.taken_seq = max(thread.taken_seq, position or 0)
    Chunk.objects.create(thread=thread, run=run, seq=thread.taken_seq, key=key, messages=messages)
    run.attempt = 0
