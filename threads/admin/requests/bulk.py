"""Many approvals of one tool at once: first a page that shows them, then each is decided for itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from artifacts.admin.reading import ReadOnly
from artifacts.admin.verbatim import verbatim
from threads.admin.requests.deciding import decide_each
from threads.admin.requests.preview import ago
from threads.admin.requests.shown import FIELD, from_cell, heads, named_by
from threads.core import decisions
from threads.core.decisions import Approve, Decision, Decline
from threads.models import Request

REFUSALS = 10
"""Refusals that are told one by one."""

LONGEST = 4_000
"""Characters of the arguments of one call above which it is decided on its own page, where they are shown whole."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One request on the page that asks whether one is sure."""

    request: Request
    arguments: SafeString
    ago: str
    artifacts: list[str]
    field: str
    versions: str


def decide(model_admin: ReadOnly, http: HttpRequest, action: str, rows: Any) -> HttpResponse | None:
    """The page on which to confirm; posted from there, the decisions. Nothing for what cannot be decided together."""
    ticked = http.POST.getlist(ACTION_CHECKBOX_NAME)
    chosen = list(rows.filter(pk__in=ticked).select_related("thread__workspace", "run__user"))
    if (why := _objection(chosen)) is not None:
        model_admin.message_user(http, f"{why} Nothing was changed.", messages.ERROR)
        return None
    if not http.POST.get("confirmed"):
        return _page(model_admin, http, action, chosen)
    word = decisions.APPROVED if action == "approve_selected" else decisions.DECLINED
    _decide_each(model_admin, http, word, {str(row.pk): _decision(http, word, str(row.pk)) for row in chosen})
    return None


def _objection(chosen: Sequence[Request]) -> str | None:
    """Why these are not decided together, if they are not."""
    if any(row.kind == decisions.QUESTION for row in chosen):
        return "A question is answered on its own page: tick approvals alone."
    if len({row.tool for row in chosen}) > 1:
        return "These are approvals of several tools: narrow the list to one tool, then tick."
    if any(len(str(row.arguments)) > LONGEST for row in chosen):
        return "Some of these are long: decide those on their own pages, where they are shown whole."
    return None


def _decision(http: HttpRequest, word: str, request_id: str) -> Decision:
    """Approvals name the versions that were shown."""
    posted: Mapping[str, Any] = http.POST.dict()
    if word == decisions.APPROVED:
        return Approve(from_cell(posted, request_id))
    return Decline(str(posted.get("reason", "")).strip())


def _page(model_admin: ReadOnly, http: HttpRequest, action: str, chosen: Sequence[Request]) -> HttpResponse:
    now = heads(chosen)
    posted = http.POST.dict()
    context = {
        **model_admin.admin_site.each_context(http),
        "title": "Approve these?" if action == "approve_selected" else "Decline these?",
        "opts": model_admin.opts,
        "media": model_admin.media,
        "action": action,
        "verb": "Approve" if action == "approve_selected" else "Decline",
        "tool": chosen[0].tool if chosen else "",
        "rows": [
            Shown(
                row,
                verbatim(row.arguments),
                ago(row.asked_at),
                [f"{artifact.title}, version {artifact.version}" for artifact in named_by(row, now)],
                f"{FIELD}{row.pk}",
                str(posted.get(f"{FIELD}{row.pk}", "")),
            )
            for row in chosen
        ],
    }
    http.current_app = model_admin.admin_site.name
    return TemplateResponse(http, "admin/threads/request/confirm.html", context)


def _decide_each(model_admin: ReadOnly, http: HttpRequest, word: str, decided: dict[str, Decision]) -> None:
    outcome = decide_each(http, model_admin, cast(User, http.user), decided)
    if outcome.decided:
        model_admin.message_user(http, f"{outcome.decided} {word}.", messages.SUCCESS)
    for refusal in outcome.refused[:REFUSALS]:
        model_admin.message_user(http, refusal, messages.WARNING)
    if more := len(outcome.refused[REFUSALS:]):
        model_admin.message_user(http, f"{more} more were not {word} either.", messages.WARNING)
