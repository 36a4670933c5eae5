"""What a turn delivers to the model: messages and change notes after the thread's position in the log."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import QuerySet

from artifacts.core import events as artifact_events
from artifacts.core.actors import agent_actor
from artifacts.core.envelope import Envelope
from artifacts.core.notes import changes_of_others, notes
from artifacts.log import Entry
from artifacts.models import Event
from artifacts.prepared import Prepared, given_id, given_number
from threads.core import events, history
from threads.models import Focus, Run, Thread

SAID = (events.MESSAGE_POSTED, events.MESSAGE_WITHDRAWN)
SAID_BETWEEN = Prepared(
    lambda: Event.objects.filter(
        thread=given_id("thread"), type__in=SAID, seq__gt=given_number("after"), seq__lte=given_number("upto")
    ).order_by()
)
FOLLOWED = Prepared(
    lambda: Focus.objects.filter(thread=given_id("thread")).order_by().values_list("artifact_id", "seq")
)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages and notes that go to the model together, in the log's order."""

    messages: list[Envelope] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.messages or self.notes)

    def parts(self) -> list[history.Part]:
        """The delivery as user-prompt parts: first what changed, then what people say."""
        told = [history.prompt(history.changes_prompt(self.notes))] if self.notes else []
        return told + [
            history.prompt(history.message_prompt(message.actor.name, message.data["content"]))
            for message in self.messages
        ]


def delivery(log: list[Envelope], thread_id: str, focus: dict[str, int]) -> Delivery:
    """What of these events goes to the agent of a thread that follows `focus`: artifact ids, each since a `seq`."""
    followed = [event for event in log if event.seq > focus.get(event.artifact or "", event.seq)]
    withdrawn = {event.about for event in log if event.type == events.MESSAGE_WITHDRAWN}
    return Delivery(
        [event for event in log if is_prompt(event, thread_id) and event.seq not in withdrawn],
        notes(changes_of_others(followed, agent_actor(thread_id), set(focus))),
    )


def is_prompt(event: Envelope, thread_id: str) -> bool:
    """Whether an event is a message that the agent gets as a prompt. A reply gets to it as an answer instead."""
    return event.type == events.MESSAGE_POSTED and event.thread == thread_id and not event.data["reply"]


def undelivered(thread: Thread, upto: int) -> Delivery:
    """What waits for the agent between the thread's position and `upto`.

    Two reads, each by an index of its own: they cost what there is to tell, however long the log is.
    """
    focus = focus_of(thread)
    said = SAID_BETWEEN.rows(thread=thread.pk, after=thread.taken_seq, upto=upto)
    rows = [row.envelope() for row in (*said, *(_changes(thread, upto, focus) if focus else ()))]
    return delivery(sorted(rows, key=lambda event: event.seq), str(thread.pk), focus)


def _changes(thread: Thread, upto: int, focus: Iterable[str]) -> QuerySet[Event]:
    rows = Event.objects.filter(artifact__in=list(focus), type__in=artifact_events.ABOUT_ARTIFACTS)
    return rows.filter(seq__gt=thread.taken_seq, seq__lte=upto).order_by()


def focus_of(thread: Thread) -> dict[str, int]:
    """The artifacts that a thread follows, each with the `seq` since which it does."""
    return followed_by(str(thread.pk))


def followed_by(thread_id: str) -> dict[str, int]:
    """The same, of a thread known by its id."""
    return {str(artifact): seq for artifact, seq in FOLLOWED.rows(thread=thread_id)}


def record_delivery(entry: Entry, thread: Thread, run: Run, delivered: Delivery) -> None:
    """The events that show on the page what the agent was given."""
    if delivered.notes:
        entry.append(
            events.CHANGES_TOLD, {"notes": delivered.notes, "run": str(run.pk)}, thread=str(thread.pk)
        )
    for message in delivered.messages:
        entry.append(events.MESSAGE_DELIVERED, {"run": str(run.pk)}, thread=str(thread.pk), about=message.seq)


def deliver_replies(entry: Entry, thread: Thread, run: Run) -> None:
    """The messages that answered this run's pause reach the model as the answers they were."""
    answers = run.requests.filter(answer__isnull=False).values_list("answer", flat=True)
    said = {answer["message"] for answer in answers if answer and answer["message"]}
    posted = Event.objects.filter(workspace_id=thread.workspace_id, seq__in=said, seq__gt=run.paused_seq)
    for seq in posted.order_by("seq").values_list("seq", flat=True):
        entry.append(events.MESSAGE_DELIVERED, {"run": str(run.pk)}, thread=str(thread.pk), about=seq)
