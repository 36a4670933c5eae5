"""Deciding: `threads.turns.answer`, once for each request, and what to say of it afterwards."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from artifacts.core.rejections import Invalid, Rejection
from threads.core import decisions
from threads.core.decisions import Decision
from threads.models import Request
from threads.turns import Answered, answer


@dataclass(slots=True)
class Outcome:
    """How many of several requests were decided, and why the others were not."""

    decided: int = 0
    refused: list[str] = field(default_factory=list)


def decide_each(user: User, decided: Mapping[str, Decision]) -> Outcome:
    """Decide requests by id, each for itself: what is refused does not hold up the others."""
    outcome = Outcome()
    names = _names(decided)
    for request_id, decision in decided.items():
        try:
            answer(user, request_id, decision)
            outcome.decided += 1
        except Rejection as rejection:
            outcome.refused.append(f"{names.get(request_id, 'A request')}: {sentence(rejection)}")
    return outcome


def sentence(rejection: Rejection) -> str:
    """Why something was refused; a form with one field need not name it."""
    if isinstance(rejection, Invalid):
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


def _names(ids: Mapping[str, Decision]) -> dict[str, str]:
    rows = Request.objects.filter(pk__in=list(ids)).select_related("thread")
    return {str(row.pk): f"“{row.thread}”, {row.tool}" for row in rows}
