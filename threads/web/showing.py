"""The thread page as an answer: to whoever asks for it, and to a form that was refused and has no script."""

import uuid
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from artifacts.web.access import SignedIn
from threads.models import Thread
from threads.web.forms import RequestForm
from threads.web.page import page


def thread_page(
    request: SignedIn, found: Thread, refused: RequestForm | None = None, status: int = 200, **typed: Any
) -> HttpResponse:
    """A thread's page. `refused` is a request's form that was not carried out; `typed` what else the template shows."""
    context = {**page(request, found, refused), "message_id": new_id(), **typed}
    return render(request, "threads/page.html", context, status=status)


def new_id() -> str:
    """An id for the next message."""
    return str(uuid.uuid4())
