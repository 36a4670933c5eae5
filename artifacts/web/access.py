"""Who comes in: signed-in people, and what they get is stored nowhere on the way."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers
from django.views.decorators.csrf import csrf_protect

from artifacts.core.rejections import Rejection
from artifacts.web.errors import is_htmx, refusal
from artifacts.web.unsent import unsent


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
