"""Making a workspace, and what one is called."""

from uuid import UUID, uuid4

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_POST

from artifacts.core.envelope import id_in
from artifacts.core.rejections import Forbidden
from artifacts.members import FOUND, found_workspace, rename_workspace, workspace_for
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.joining import Naming, blamed
from artifacts.web.members import members_page


@require_http_methods(["GET", "POST"])
@private
def workspaces(request: SignedIn) -> HttpResponse:
    """The form of a new workspace; posting it makes one, once, for whoever the installation lets."""
    if not request.user.has_perm(FOUND):
        raise Forbidden("Who makes workspaces here is up to those who manage accounts. Ask them for one.")
    form, id = Naming(request.POST or None), id_in(request.POST.get("id", "")) or uuid4()
    form.fields["name"].widget.attrs["autofocus"] = True
    with blamed(form):
        if form.is_valid():
            place = found_workspace(request.user, form.cleaned_data["name"], id)
            return see_other("members", workspace_id=place.pk)
    status = 422 if form.errors else 200
    return render(request, "workspaces/founding.html", {"form": form, "id": id}, status=status)


@require_POST
@private
def name(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """Give a workspace another name."""
    place = workspace_for(request.user, str(workspace_id))
    form = Naming(request.POST)
    with blamed(form):
        if form.is_valid():
            rename_workspace(request.user, str(place.pk), form.cleaned_data["name"])
            return see_other("members", workspace_id=place.pk)
    return members_page(request, place, naming=form, status=422)
