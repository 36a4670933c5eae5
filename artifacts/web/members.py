"""The pages of a workspace's members: who they are, how one adds somebody, and one member's role and removal."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from artifacts.core.rejections import Invalid, NotFound
from artifacts.core.rules import EDITOR, OWNER, VIEWER
from artifacts.invitations import open_invitations
from artifacts.members import actor_of, add_by_name, change_role, members_of, remove_member, workspace_for
from artifacts.models import Membership, Workspace
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import SeeOther, see_other
from artifacts.web.errors import is_htmx, status_of
from artifacts.web.joining import ByEmail, ByName, Naming, blamed
from artifacts.web.workspace import standing

ROLES = {
    VIEWER: "reads",
    EDITOR: "also writes, posts and answers",
    OWNER: "also manages members",
}


@require_http_methods(["GET", "POST"])
@private
def members(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """Everybody in a workspace, to a script without the page around; posting a user name adds somebody."""
    place = workspace_for(request.user, str(workspace_id))
    return _add(request, place) if request.method == "POST" else members_page(request, place)


@require_http_methods(["GET", "POST"])
@private
def member(request: SignedIn, workspace_id: UUID, user_id: int) -> HttpResponse:
    """One member; posting a role gives it to them."""
    place, row = _found(request, workspace_id, user_id)
    if request.method == "GET":
        return _member_page(request, place, row)
    role = request.POST.get("role", "")
    try:
        change_role(request.user, str(place.pk), user_id, role)
    except Invalid as refused:
        return _member_page(request, place, row, refused)
    messages.success(request, f"The role of {actor_of(row.user).name} is now {role}.")
    return see_other("members", workspace_id=place.pk)


@require_POST
@private
def removal(request: SignedIn, workspace_id: UUID, user_id: int) -> HttpResponse:
    """Take a member out, or leave."""
    place, row = _found(request, workspace_id, user_id)
    try:
        remove_member(request.user, str(place.pk), row.user)
    except Invalid as refused:
        return _member_page(request, place, row, refused)
    if row.user == request.user:
        return SeeOther("/")
    messages.success(request, f"{actor_of(row.user).name} is no longer a member.")
    return see_other("members", workspace_id=place.pk)


def members_page(request: SignedIn, place: Workspace, status: int = 200, **said: Any) -> HttpResponse:
    """The page of all members. `said` may hold a form that was refused, or the invitation that was just made."""
    context = {
        **standing(request, place),
        "members": members_of(str(place.pk)),
        "invitations": open_invitations(str(place.pk), timezone.now()),
        "by_name": ByName(),
        "by_email": ByEmail(),
        "naming": Naming(initial={"name": place.name}),
        **said,
    }
    template = "workspaces/_members.html" if is_htmx(request) else "workspaces/members.html"
    return render(request, template, context, status=status)


def _add(request: SignedIn, place: Workspace) -> HttpResponse:
    form = ByName(request.POST)
    with blamed(form):
        if form.is_valid():
            user = add_by_name(request.user, str(place.pk), **form.cleaned_data)
            messages.success(request, f"{actor_of(user).name} is now a member.")
            return see_other("members", workspace_id=place.pk)
    return members_page(request, place, by_name=form, status=422)


def _found(request: SignedIn, workspace_id: UUID, user_id: int) -> tuple[Workspace, Membership]:
    place = workspace_for(request.user, str(workspace_id))
    row = members_of(str(place.pk)).filter(user_id=user_id).first()
    if row is None:
        raise NotFound("This member")
    return place, row


def _member_page(
    request: SignedIn, place: Workspace, row: Membership, refused: Invalid | None = None
) -> HttpResponse:
    context = {
        **standing(request, place),
        "member": row,
        "roles": ROLES.items(),
        "error": refused.details["fields"].get("role", "") if refused else "",
    }
    return render(request, "workspaces/member.html", context, status=status_of(refused) if refused else 200)
