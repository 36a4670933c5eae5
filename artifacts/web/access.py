"""Who comes in: signed-in people, and what they get is stored nowhere on the way."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, cast
from urllib.parse import urlsplit

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_protect

from artifacts.core.rejections import Rejection
from artifacts.web.errors import is_htmx, refusal


class SignedIn(HttpRequest):
    """A request of somebody who is signed in."""

    user: User


def answering[**P, R: HttpRequest](
    view: Callable[Concatenate[R, P], HttpResponse],
) -> Callable[Concatenate[R, P], HttpResponse]:
    """A view that nobody stores; what it refuses becomes a page or a fragment that says so."""

    @wraps(view)
    def answered(request: R, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            response = view(request, *args, **kwargs)
        except Rejection as rejection:
            response = refusal(request, rejection)
        add_never_cache_headers(response)
        return response

    return csrf_protect(answered)


def private[**P](
    view: Callable[Concatenate[SignedIn, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A view for people who are signed in."""
    answered = answering(view)

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        return answered(cast(SignedIn, request), *args, **kwargs)

    return guarded


WRITTEN = ("content", "text", "title", "reason", "summary")
"""The fields in which people write more than they would write again."""


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    """To a script, 401: a redirect would be followed, and the sign-in form swapped into the page.

    A form that was sent too late comes back with what was written in it.
    """
    if is_htmx(request):
        return HttpResponse("You are signed out.", status=401, content_type="text/plain")
    if request.method == "GET":
        return redirect_to_login(request.get_full_path())
    response = render(request, "registration/signed_out.html", unsent(request), status=401)
    add_never_cache_headers(response)
    return response


def unsent(request: HttpRequest) -> dict[str, str]:
    """For a page that answers a form which was not taken: what was written, its draft's name, and where it was."""
    posted = request.POST
    return {
        "unsent": "\n\n".join(posted[name] for name in WRITTEN if posted.get(name, "").strip()),
        "draft": f"draft:{request.path}{posted.get('workspace', '')}",
        "next": _came_from(request),
    }


def _came_from(request: HttpRequest) -> str:
    """The page of ours that a form was on."""
    referer = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(referer, {request.get_host()}, require_https=request.is_secure())
    parts = urlsplit(referer if ours else "/")
    return parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
