"""Deciding: `threads.turns.answer`, once for each request, with a line in Django's history; and what to say of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest

from artifacts.admin.deeds import said_with_seq
from artifacts.admin.reading import ReadOnly
from artifacts.core.rejections import Invalid, Rejection
from threads.core import decisions
from threads.core.decisions import Answer, Approve, Decision
from threads.models import Request
from threads.turns import Answered, answer


@dataclass(slots=True)
class Outcome:
    """How many of several requests were decided, and why the others were not."""

    decided: int = 0
    refused: list[str] = field(default_factory=list)


def decide_one(
    http: HttpRequest, model_admin: ReadOnly, user: User, request: Request, decision: Decision
) -> Answered:
    """Decide one, and note it in Django's history: both or neither. Raises a `Rejection`."""
    with transaction.atomic():
        done = answer(user, str(request.pk), decision)
        model_admin.log_change(http, request, said_with_seq(_word(decision), done.seq))
    return done


def decide_each(
    http: HttpRequest, model_admin: ReadOnly, user: User, decided: Mapping[str, Decision]
) -> Outcome:
    """Decide requests by id, each for itself: what is refused does not hold up the others."""
    outcome = Outcome()
    rows = Request.objects.filter(pk__in=list(decided)).select_related("thread").order_by("asked_at", "id")
    for row in rows:
        try:
            decide_one(http, model_admin, user, row, decided[str(row.pk)])
            outcome.decided += 1
        except Rejection as rejection:
            outcome.refused.append(f"“{row.thread}”, {row.tool}: {sentence(rejection)}")
    return outcome


def sentence(rejection: Rejection) -> str:
    """Why something was refused; of several faults, each with the name of what it is in."""
    if isinstance(rejection, Invalid) and len(rejection.details["fields"]) == 1:
        return " ".join(rejection.details["fields"].values())
    return rejection.message


def verdict(request: Request, done: Answered, decision: str) -> str:
    """What was done, and whether the agent goes on."""
    what = "Answered" if request.kind == decisions.QUESTION else decision.capitalize()
    rest = (
        "The agent goes on."
        if done.ready
        else "The run waits for more: see what else is open in this thread."
    )
    return f"{what}. {rest}"


def _word(decision: Decision) -> str:
    match decision:
        case Answer():
            return "answered"
        case Approve(arguments=arguments):
            return "approved" if arguments is None else "approved with changed arguments"
        case _:
            return "declined"
