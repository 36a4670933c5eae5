"""What a rejection is on the web: its status, and a page or a fragment that says it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from artifacts.core.rejections import Invalid, NotFound, Rejection
from artifacts.web.unsent import unsent

STATUSES = {
    "not_found": 404,
    "forbidden": 403,
    "invalid": 422,
    "version_conflict": 409,
    "patch_failed": 409,
    "archived": 409,
    "too_large": 413,
    "already_decided": 409,
    "out_of_date": 409,
    "command_id_reused": 409,
    "changed_meanwhile": 409,
    "message_id_reused": 409,
    "nothing_to_stop": 409,
    "nothing_to_retry": 409,
    "still_writing": 409,
    "already_delivered": 409,
    "focus_full": 409,
    "invitation_over": 410,
    "too_many_messages": 429,
    "too_many_runs": 429,
    "day_used_up": 429,
}


def status_of(rejection: Rejection) -> int:
    """The HTTP status of a rejection."""
    return STATUSES[rejection.code]


def sentence(rejection: Rejection) -> str:
    """Why something was refused, without the names of fields: for a form that stands beside it."""
    if isinstance(rejection, Invalid):
        return " ".join(rejection.details["fields"].values())
    return rejection.message


def is_htmx(request: HttpRequest) -> bool:
    """Whether the page's script asks, which wants a fragment and not a page."""
    return request.headers.get("HX-Request") == "true"


def refusal(request: HttpRequest, rejection: Rejection) -> HttpResponse:
    """A rejection that no form on the page can show, with what was written. What one may not know of is not found."""
    if is_htmx(request):
        return render(request, "_refusal.html", {"rejection": rejection}, status=status_of(rejection))
    template = "404.html" if isinstance(rejection, NotFound) else "refused.html"
    context = {"rejection": rejection, **unsent(request)}
    return render(request, template, context, status=status_of(rejection))
