"""Beginning an artifact: what its kind cannot do without is asked for, and the rest is written on its own page."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from artifacts.core.commands import CreateArtifact
from artifacts.core.kinds import Kind, kind_named
from artifacts.core.rejections import Rejection
from artifacts.core.rules import require_editor
from artifacts.handle import Handle
from artifacts.members import role_of, workspace_for
from artifacts.models import Workspace
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.errors import status_of
from artifacts.web.kindforms import KindForm
from artifacts.web.workspace import standing


@require_http_methods(["GET", "POST"])
@private
def beginning(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """The form of a new artifact of the kind `kind`; posting it makes the artifact, and opens it to be written."""
    place = workspace_for(request.user, str(workspace_id))
    require_editor(role_of(request.user.pk, str(place.pk)))
    kind = kind_named(request.GET.get("kind", ""))
    form = BeginningForm(kind, request.POST or None)
    if request.method == "GET":
        return _page(request, place, form)
    try:
        once = request.POST.get("command_id") or None
        command = CreateArtifact(kind.name, form.payload(), command_id=once)
        made = Handle.for_user(request.user, str(place.pk)).commit(command)
    except Rejection as refused:
        if not form.errors:
            form.add_error(None, refused.message)
        return _page(request, place, form, status_of(refused))
    return see_other("artifact-form", artifact_id=made.artifact)


class BeginningForm(KindForm):
    """The fields that a kind requires; all of them where it requires none."""

    def __init__(self, kind: type[Kind], posted: Mapping[str, Any] | None) -> None:
        super().__init__(kind, {}, posted)
        optional = [name for name, info in self.infos.items() if not info.is_required()]
        if len(optional) < len(self.infos):
            for name in optional:
                del self.fields[name]
        if self.fields and not self.is_bound:
            next(iter(self.fields.values())).widget.attrs["autofocus"] = True


def _page(request: SignedIn, place: Workspace, form: BeginningForm, status: int = 200) -> HttpResponse:
    context = {**standing(request, place), "kind": form.kind.name, "form": form, "command_id": uuid4()}
    return render(request, "workspaces/beginning.html", context, status=status)
