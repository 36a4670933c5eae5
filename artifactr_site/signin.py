"""The one-time link that signs a person in on the machine itself.

`make run`, `make signin` and `manage.py signin` print it. It names a user and what the user's sign-in state was, and is
signed. It works for ten minutes, and once, because signing in changes that state. It is answered only to a browser on
this machine that came to it directly: from a loopback address, under a loopback name, with no trace of a proxy.

A plain GET signs in, with no button in between: the link is for one click from a terminal, no mail scanner ever sees
it, and a browser's guesses (prefetch, prerender) are turned away.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET

from artifactr_site.origins import is_loopback_address

SALT = "artifactr_site.signin"
PROXY_HEADERS = frozenset({"HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_REAL_IP"})


class LinkRefused(Exception):
    """A sign-in link that does not sign in; the message says what to do."""


@never_cache
@require_GET
@sensitive_variables("token")
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whom the link names, once, and go to the first page."""
    try:
        if not is_from_this_machine(request):
            raise LinkRefused("Sign-in links work only in a browser on the machine that artifactr runs on.")
        if is_guess(request):
            raise LinkRefused("Open the link itself to sign in.")
        user = spend(token)
    except LinkRefused as refused:
        return refusal(request, str(refused))
    login(request, user)
    return redirect(settings.LOGIN_REDIRECT_URL)


def refusal(request: HttpRequest, reason: str) -> HttpResponse:
    response = render(request, "registration/signin_refused.html", {"reason": reason}, status=403)
    # Django would log the address, and with it a link that may still work.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def sign_in_path(user: User) -> str:
    """The path of a new link for this user."""
    return reverse("sign-in-by-link", args=[signer().sign(f"{user.pk}-{state_of(user)}")])


def spend(token: str) -> User:
    """The user a token names, if nobody spent it before. Raises LinkRefused."""
    again = "Ask for a new one with: make signin, or manage.py signin."
    try:
        named = signer().unsign(token, max_age=settings.ARTIFACTR_SIGN_IN_LINK_SECONDS)
    except signing.SignatureExpired:
        raise LinkRefused(f"This sign-in link is too old. {again}") from None
    except signing.BadSignature:
        raise LinkRefused(f"This is not a sign-in link of this installation. {again}") from None
    pk, _, state = named.partition("-")
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or state_of(user) != state or not mark_signed_in(user):
        raise LinkRefused(f"This sign-in link was used already, or its account changed since. {again}")
    return user


def mark_signed_in(user: User) -> bool:
    """Whether this caller, of all who hold the same link, is the one who signs in: one conditional update decides."""
    unchanged = User.objects.filter(
        pk=user.pk, is_active=True, password=user.password, last_login=user.last_login
    )
    return unchanged.update(last_login=timezone.now()) == 1


def signer() -> signing.TimestampSigner:
    return signing.TimestampSigner(salt=SALT)


def state_of(user: User) -> str:
    """What signing in, or a new password, changes. To the microsecond: two sign-ins may share a second."""
    last_login = user.last_login.isoformat() if user.last_login else ""
    return salted_hmac(SALT, f"{user.password}\n{last_login}", algorithm="sha256").hexdigest()[:16]


def is_from_this_machine(request: HttpRequest) -> bool:
    """Whether the browser runs on this machine, and reached the server directly."""
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    return (
        is_loopback_address(request.META.get("REMOTE_ADDR", ""))
        and (host == "localhost" or is_loopback_address(host))
        and not any(name in PROXY_HEADERS or name.startswith("HTTP_X_FORWARDED") for name in request.META)
    )


def is_guess(request: HttpRequest) -> bool:
    """Whether the browser fetches the page only in case that someone will want it."""
    purposes = (request.headers.get(name, "") for name in ("Sec-Purpose", "Purpose", "X-Moz"))
    return any("prefetch" in purpose or "preview" in purpose for purpose in purposes)
