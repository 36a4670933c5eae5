"""Invitations: owners make and withdraw them; whoever opens the link joins, with the account they have or a new one.

A link is a secret: it is shown once, to the one who made it, and what goes wrong with it is logged without it.
"""

import logging
from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.conf import settings
from django.contrib.auth import login
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from artifacts.core.rejections import InvitationOver
from artifacts.invitations import (
    Invited,
    accept,
    accept_as_newcomer,
    invitation_of,
    invite,
    require_open,
    withdraw,
)
from artifacts.members import role_of, workspace_for
from artifacts.models import Invitation
from artifacts.web.access import SignedIn, answering, private
from artifacts.web.answers import see_other
from artifacts.web.errors import status_of
from artifacts.web.joining import ByEmail, Newcomer, blamed
from artifacts.web.members import members_page

logger = logging.getLogger(__name__)


@require_http_methods(["GET", "POST"])
@private
def invitations(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """Make one; its link is shown in the answer and never again. They are listed with the members."""
    place = workspace_for(request.user, str(workspace_id))
    if request.method == "GET":
        return see_other("members", workspace_id=place.pk)
    form = ByEmail(request.POST)
    with blamed(form):
        if form.is_valid():
            invited = invite(request.user, str(place.pk), **form.cleaned_data)
            link = request.build_absolute_uri(reverse("invitation", args=[invited.token]))
            said = {"invited": invited.invitation, "link": link, "delivery": _mailed(invited, link)}
            return members_page(request, place, status=201, **said)
    return members_page(request, place, by_email=form, status=422)


@require_POST
@private
def withdrawal(request: SignedIn, workspace_id: UUID, invitation_id: UUID) -> HttpResponse:
    """End an invitation."""
    place = workspace_for(request.user, str(workspace_id))
    withdraw(request.user, str(place.pk), str(invitation_id))
    return see_other("members", workspace_id=place.pk)


type LinkView = Callable[[HttpRequest, str], HttpResponse]


def by_link(view: LinkView) -> LinkView:
    """A view of a link. Where it is over, a page says so."""

    @wraps(view)
    def kept(request: HttpRequest, token: str) -> HttpResponse:
        try:
            response = view(request, token)
        except InvitationOver as over:
            response = render(request, "workspaces/over.html", {"over": over}, status=status_of(over))
        response._has_been_logged = True  # type: ignore[attr-defined]  # Django would log the address
        return response

    return answering(kept)


@require_GET
@by_link
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """What one is invited to, and the ways in."""
    shown = invitation_of(token)
    if role_of(request.user.pk or 0, str(shown.workspace_id)) is not None:
        return see_other("workspace", workspace_id=shown.workspace_id)
    require_open(shown, timezone.now())
    return _page(request, token, shown, Newcomer())


@by_link
def acceptance(request: HttpRequest, token: str) -> HttpResponse:
    """Join, with the account that is signed in."""
    if request.method != "POST" or not request.user.is_authenticated:
        return see_other("invitation", token=token)
    return see_other("workspace", workspace_id=accept(request.user, token))


@sensitive_post_parameters("password1", "password2")
@by_link
def account(request: HttpRequest, token: str) -> HttpResponse:
    """Make an account, join with it, and be signed in."""
    if request.method != "POST" or request.user.is_authenticated:
        return see_other("invitation", token=token)
    shown, form = invitation_of(token), Newcomer(request.POST)
    require_open(shown, timezone.now())
    with blamed(form):
        if form.is_valid():
            name, password = form.cleaned_data["username"], form.cleaned_data["password1"]
            login(request, accept_as_newcomer(name, password, token))
            return see_other("workspace", workspace_id=shown.workspace_id)
    return _page(request, token, shown, form, status=422)


def _page(
    request: HttpRequest, token: str, shown: Invitation, form: Newcomer, status: int = 200
) -> HttpResponse:
    context = {"token": token, "invitation": shown, "form": form}
    return render(request, "workspaces/invitation.html", context, status=status)


def _mailed(invited: Invited, link: str) -> str:
    """`sent`, `failed`, or `off` where no mail goes out from here."""
    if not settings.ARTIFACTR_SENDS_MAIL:
        return "off"
    to = invited.invitation.email
    text = render_to_string("workspaces/invitation.txt", {"invitation": invited.invitation, "link": link})
    subject = " ".join(f"Invitation to {invited.invitation.workspace.name}".split())
    try:
        send_mail(subject, text, None, [to])
    except OSError:
        logger.exception("an invitation could not be sent by mail")
        return "failed"
    return "sent"
