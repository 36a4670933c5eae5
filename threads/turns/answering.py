"""Somebody answers a question, or decides an approval. The first answer stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from artifacts.core.rejections import AlreadyDecided, Invalid, NotFound
from artifacts.core.text import checked
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Artifact
from threads.core import decisions
from threads.core.arguments import checked_arguments
from threads.core.decisions import Answer, Approve, Decision, Decline
from threads.core.rejections import ChangedMeanwhile
from threads.models import Request, Thread
from threads.turns.deciders import require_decider
from threads.turns.settling import Verdict, ready_if_settled, settle
from threads.turns.writing import write_in_thread

ANSWER_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Answered:
    """Where the answer stands in the log, and whether the run now goes on."""

    seq: int
    ready: bool


def answer(user: User, request_id: str, decision: Decision) -> Answered:
    """Answer a request.

    Raises `NotFound`, `Forbidden`, `Invalid`, `TooLarge`, `AlreadyDecided` or `ChangedMeanwhile`.
    """
    thread_id = _thread_of(request_id)

    def decide(entry: Entry, thread: Thread) -> Answered:
        request = Request.objects.select_related("run").get(pk=request_id)
        require_decider(user, request, str(thread.workspace_id))
        if request.state != decisions.OPEN:
            raise AlreadyDecided(request.decided_by, request.state)
        seq = settle(entry, request, _verdict(request, decision))
        return Answered(seq, ready_if_settled(request.run))

    return write_in_thread(thread_id, actor_of(user), decide)


def _verdict(request: Request, decision: Decision) -> Verdict:
    match request.kind, decision:
        case decisions.QUESTION, Answer(text):
            return Verdict(decisions.ANSWERED, checked("answer", text, limit=ANSWER_LIMIT))
        case decisions.APPROVAL, Approve(versions, arguments):
            _require_as_shown(request, versions)
            return Verdict(decisions.APPROVED, arguments=_edited(request, arguments))
        case decisions.APPROVAL, Decline(reason):
            said = checked("reason", reason, limit=ANSWER_LIMIT, required=False)
            return Verdict(decisions.DECLINED, said)
        case _:
            raise Invalid({"decision": f"This is {_article(request.kind)}: {_advice(request.kind)}"})


def _edited(request: Request, arguments: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The arguments to run with, if they are others than the model gave."""
    if arguments is None or arguments == request.arguments:
        return None
    return checked_arguments(arguments, request.schema)


def _require_as_shown(request: Request, versions: Mapping[str, int]) -> None:
    named = [artifact["id"] for artifact in request.artifacts]
    now = Artifact.objects.filter(pk__in=named)
    changed = [row.title for row in now if versions.get(str(row.pk)) != row.version]
    if changed:
        raise ChangedMeanwhile(changed)


def _article(kind: str) -> str:
    return "an approval" if kind == decisions.APPROVAL else "a question"


def _advice(kind: str) -> str:
    return "approve or decline it." if kind == decisions.APPROVAL else "answer it in words."


def _thread_of(request_id: str) -> str:
    try:
        return str(Request.objects.values_list("thread_id", flat=True).get(pk=request_id))
    except (Request.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This request") from None
