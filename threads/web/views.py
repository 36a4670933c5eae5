"""The thread page and its forms. Each view makes one call into the domain and answers a script with a fragment, anyone
else with a page."""

import json
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render, resolve_url
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from artifacts.core.envelope import seq_in
from artifacts.core.rejections import NotFound, Rejection
from artifacts.core.rules import VIEWER
from artifacts.members import role_of, workspace_for, workspaces_of
from artifacts.models import Event, Workspace
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import SeeOther, see_other
from artifacts.web.errors import is_htmx, sentence, status_of
from threads.models import Thread
from threads.reading import request_for, thread_for, threads_of
from threads.turns import answer, begin_thread, create_thread, post, post_notice, set_mode, stop
from threads.turns.stopping import KEEP
from threads.web import reading
from threads.web.badge import badge
from threads.web.forms import RequestForm, decision_of, drawn, form_for
from threads.web.page import around, drawn_things
from threads.web.showing import new_id, thread_page
from threads.web.whole import whole


@require_GET
@private
def home(request: SignedIn) -> HttpResponse:
    """The thread that was last active, or where the first one begins."""
    latest = threads_of(request.user).filter(archived_at=None).first()
    return see_other("thread", thread_id=latest.pk) if latest else see_other("threads")


@require_http_methods(["GET", "POST"])
@private
def threads(request: SignedIn) -> HttpResponse:
    """Where a thread begins: with its first message, whose first words become its title."""
    workspace = _workspace(request.user, request.POST.get("workspace") or request.GET.get("workspace"))
    if workspace is None:
        return render(request, "threads/nowhere.html")
    if request.method == "GET":
        return _beginning(request, workspace)
    content = request.POST.get("content", "").replace("\r\n", "\n")
    message_id = request.POST.get("message_id") or new_id()
    try:
        if content.strip():
            begun = begin_thread(request.user, str(workspace.pk), message_id, content)
        else:
            begun = create_thread(request.user, str(workspace.pk))
    except Rejection as rejection:
        return _beginning(request, workspace, rejection, content)
    return see_other("thread", thread_id=begun.pk)


@require_GET
@private
def thread(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """A thread's page. Where the event that is wanted (`at`) is too far back for it, the page of earlier ones."""
    found, at = thread_for(request.user, str(thread_id)), seq_in(request.GET.get("at", ""))
    if at is not None and (before := reading.page_before(found, at)):
        return SeeOther(f"{resolve_url('earlier', thread_id=found.pk)}?before={before}#event-{at}")
    return thread_page(request, found)


@require_GET
@private
def earlier(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """The events before those that the page shows: to a script as elements, to anyone else as a page."""
    found = thread_for(request.user, str(thread_id))
    before = seq_in(request.GET.get("before", ""))
    if before is None:
        raise NotFound("This part of the thread")
    stretch = reading.earlier(found, before)
    context = {
        "thread": found,
        "things": drawn_things(request, found, stretch),
        "first": stretch.first if stretch.more else None,
    }
    return render(request, "threads/_earlier.html" if is_htmx(request) else "threads/earlier.html", context)


@require_GET
@private
def event(request: SignedIn, thread_id: UUID, seq: int) -> HttpResponse:
    """The whole text of an event of which the page shows the beginning."""
    found = thread_for(request.user, str(thread_id))
    row = get_object_or_404(Event, thread=found.pk, seq=seq)
    context = {"thread": found, **whole(row.envelope())}
    return render(request, "threads/_whole.html" if is_htmx(request) else "threads/event.html", context)


@require_POST
@private
def messages(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Say something in a thread: to the agent and everyone, or to people only."""
    found = thread_for(request.user, str(thread_id))
    content = request.POST.get("content", "").replace("\r\n", "\n")
    say = post_notice if request.POST.get("notice") else post
    try:
        say(request.user, str(found.pk), request.POST.get("message_id", ""), content)
    except Rejection as rejection:
        return _not_posted(request, found, rejection, content)
    if not is_htmx(request):
        return see_other("thread", thread_id=found.pk)
    return HttpResponse(headers={"HX-Trigger": json.dumps({"message-sent": {"next": new_id()}})})


@require_POST
@private
def stopping(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Stop the agent. What waits for it is withdrawn if one says so, and named if not."""
    found = thread_for(request.user, str(thread_id))
    stopped = stop(request.user, str(found.pk), request.POST.get("messages", KEEP))
    if not is_htmx(request):
        return see_other("thread", thread_id=found.pk)
    if not stopped.waiting:
        return HttpResponse()
    return render(request, "threads/_stopped.html", {"thread": found, "count": stopped.waiting})


@require_POST
@private
def mode(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Let the agent edit, or only suggest."""
    found = thread_for(request.user, str(thread_id))
    set_mode(request.user, str(found.pk), request.POST.get("mode", ""))
    return HttpResponse() if is_htmx(request) else see_other("thread", thread_id=found.pk)


@require_GET
@private
def request_form(request: SignedIn, request_id: UUID) -> HttpResponse:
    """A request's form as this viewer gets it."""
    return HttpResponse(drawn(request, form_for(request.user, request_for(request.user, str(request_id)))))


@require_POST
@private
def request_answer(request: SignedIn, request_id: UUID) -> HttpResponse:
    """Answer a question, or decide an approval."""
    row = request_for(request.user, str(request_id))
    try:
        answer(request.user, str(row.pk), decision_of(row, request.POST.dict()))
    except Rejection as rejection:
        return _not_answered(request, row_form(request, str(row.pk), rejection), rejection)
    if is_htmx(request):
        return HttpResponse('<p class="quiet">Sent.</p>')
    return see_other("thread", thread_id=row.thread_id)


def row_form(request: SignedIn, request_id: str, rejection: Rejection) -> RequestForm:
    """The form as it now is, with what was typed into it and why it was refused."""
    form = form_for(request.user, request_for(request.user, request_id))
    form.typed, form.error = request.POST.dict(), sentence(rejection)
    return form


def _not_answered(request: SignedIn, form: RequestForm, rejection: Rejection) -> HttpResponse:
    if is_htmx(request):
        context = {"form": form, "request_row": form.request}
        return render(request, "threads/_request_note.html", context, status=status_of(rejection))
    refusal = "" if form.may_decide else form.error  # a request that is settled has no form to say it in
    status = status_of(rejection)
    return thread_page(request, form.request.thread, refused=form, status=status, refusal=refusal)


def _not_posted(request: SignedIn, found: Thread, rejection: Rejection, content: str) -> HttpResponse:
    """The text is kept, and gets an id of its own, so that sending it again is a message of its own."""
    if not is_htmx(request):
        error = sentence(rejection)
        is_notice = bool(request.POST.get("notice"))
        status = status_of(rejection)
        return thread_page(request, found, status=status, error=error, content=content, is_notice=is_notice)
    response = render(request, "_refusal.html", {"rejection": rejection}, status=status_of(rejection))
    if rejection.code == "message_id_reused":
        response["HX-Trigger"] = json.dumps({"message-refused": {"next": new_id()}})
    return response


def _beginning(
    request: SignedIn, workspace: Workspace, rejection: Rejection | None = None, content: str = ""
) -> HttpResponse:
    context = {
        "error": sentence(rejection) if rejection else "",
        "content": content,
        "message_id": new_id(),
        "may_write": role_of(request.user.pk, str(workspace.pk)) not in (None, VIEWER),
        **around(workspace),
    }
    return render(request, "threads/new.html", context, status=status_of(rejection) if rejection else 200)


def _workspace(user: User, wanted: str | None) -> Workspace | None:
    """The workspace that was named, or the one that the person joined first. Raises `NotFound` to strangers."""
    return workspace_for(user, wanted) if wanted else workspaces_of(user).first()


@require_GET
@private
def waiting(request: SignedIn) -> HttpResponse:
    """How many requests wait for whoever asks."""
    return render(request, "threads/_waiting.html", badge(request.user))
