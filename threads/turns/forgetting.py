"""A person's name goes from what threads keep of who decided and who spoke, within the write that anonymises them."""

import json
from collections.abc import Iterable
from uuid import UUID

from django.contrib.auth.models import User

from artifacts.anonymising import ALIAS
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Event
from threads.core import events, history
from threads.models import Chunk, Draft, Request, Thread


def forget_in_threads(entry: Entry, user: User) -> None:
    """In one workspace. The events themselves still carry the name: they say which rows do."""
    actor = actor_of(user)
    own = Event.objects.filter(workspace=entry.workspace, actor_kind=actor.kind, actor_id=actor.id)
    _forget_decisions(own.filter(type=events.REQUEST_ANSWERED).values_list("data__request", flat=True))
    for data in own.filter(type=events.DRAFT_SETTLED).values_list("data", flat=True):
        Draft.objects.filter(run_id=data["run"], call=data["call"]).update(decided_by=ALIAS)
    posted = own.filter(type=events.MESSAGE_POSTED)
    names = set(posted.order_by().values_list("actor_name", flat=True).distinct())
    _forget_in_history(set(posted.order_by().values_list("thread", flat=True).distinct()), names)
    started = Event.objects.filter(workspace=entry.workspace, type=events.RUN_STARTED, data__user=user.pk)
    for event in started.iterator():
        event.data["for"] = ALIAS
        Event.objects.filter(pk=event.pk).update(data=event.data)


def _forget_decisions(requests: Iterable[str]) -> None:
    for request in Request.objects.filter(pk__in=list(requests)):
        request.decided_by = ALIAS
        request.answer = {**(request.answer or {}), "by": ALIAS}
        request.save(update_fields=("decided_by", "answer"))


def _forget_in_history(threads: set[UUID | None], names: set[str]) -> None:
    """In what the model was given: a message says who its author is."""
    for chunk in Chunk.objects.filter(
        thread__in=Thread.objects.filter(pk__in=filter(None, threads))
    ).iterator():
        messages = chunk.messages
        for name in names:
            messages = messages.replace(_opening(name), _opening(ALIAS))
        if messages != chunk.messages:
            Chunk.objects.filter(pk=chunk.pk).update(messages=messages)


def _opening(name: str) -> str:
    """How a message of theirs begins, as JSON has it."""
    return json.dumps(history.message_prompt(name, "").partition("\n")[0])[1:-1]
