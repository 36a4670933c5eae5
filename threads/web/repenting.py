"""Taking a message back, and having a run tried again: each a form that its element asks for, and a command."""

from collections.abc import Callable
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from artifacts.core.rejections import Rejection
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.errors import is_htmx, sentence, status_of
from threads.models import Thread
from threads.reading import run_for, thread_for
from threads.turns import retry, withdraw
from threads.web.showing import thread_page
from threads.web.undoing import Undoing


@require_http_methods(["GET", "POST"])
@private
def withdrawal(request: SignedIn, thread_id: UUID, seq: int) -> HttpResponse:
    """Take back a message that waits."""
    found = thread_for(request.user, str(thread_id))
    if request.method == "GET":
        return HttpResponse(Undoing(request, found).withdrawal(seq))
    return _carried_out(request, found, lambda: withdraw(request.user, str(found.pk), seq))


@require_http_methods(["GET", "POST"])
@private
def another_try(request: SignedIn, run_id: UUID) -> HttpResponse:
    """Have a run tried again that failed or was stopped."""
    run = run_for(request.user, str(run_id))
    found = thread_for(request.user, str(run.thread_id))
    if request.method == "GET":
        return HttpResponse(Undoing(request, found).retry(str(run.pk)))
    return _carried_out(request, found, lambda: retry(request.user, str(run.pk)))


def _carried_out(request: SignedIn, found: Thread, command: Callable[[], object]) -> HttpResponse:
    try:
        command()
    except Rejection as rejection:
        status = status_of(rejection)
        if is_htmx(request):
            return render(request, "_refusal.html", {"rejection": rejection}, status=status)
        return thread_page(request, found, status=status, refusal=sentence(rejection))
    return HttpResponse() if is_htmx(request) else see_other("thread", thread_id=found.pk)
