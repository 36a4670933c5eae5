"""A plan edited as a plan: each step is a small post of its own, written for the version that its page showed.

A step is taken on the plan as it is now, if what it replaces is still what the person saw. So two people can work in
one plan at once, and neither undoes what the other did.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast
from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_POST

from artifacts.core.commands import EditArtifact
from artifacts.core.kinds import Plan
from artifacts.core.kinds.base import validated
from artifacts.core.kinds.planning import (
    AddTask,
    DescribeTask,
    DropTask,
    MoveTask,
    RenameGoal,
    SetStatus,
    Step,
)
from artifacts.core.patches import WholeData
from artifacts.core.rejections import NotFound, Rejection, VersionConflict
from artifacts.handle import Handle
from artifacts.models import Artifact
from artifacts.reading import data_at
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.editing import Edit, form_template
from artifacts.web.errors import is_htmx, sentence, status_of
from artifacts.web.page import artifact_for, opened, whole_number

TRIES = 5
"""How often a step is taken again because somebody else was faster."""

type Posted = Mapping[str, str]

STEPS: dict[str, Callable[[Posted], Step]] = {
    "goal": lambda posted: RenameGoal(posted.get("goal", "")),
    "add": lambda posted: AddTask(posted.get("name", "")),
    "describe": lambda posted: DescribeTask(posted["task"], posted.get("name", ""), posted.get("note", "")),
    "todo": lambda posted: SetStatus(posted["task"], "todo"),
    "doing": lambda posted: SetStatus(posted["task"], "doing"),
    "done": lambda posted: SetStatus(posted["task"], "done"),
    "up": lambda posted: MoveTask(posted["task"], -1),
    "down": lambda posted: MoveTask(posted["task"], 1),
    "drop": lambda posted: DropTask(posted["task"]),
}


@require_POST
@private
def steps(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """Take one step in a plan."""
    handle, found = artifact_for(request.user, artifact_id)
    if found.kind != Plan.name:
        raise NotFound("This plan")
    base = whole_number(request.POST.get("base", ""), "The version that this step was made for")
    error, status = "", 200
    try:
        take(handle, found, step_of(request.POST.dict()), base)
    except Rejection as rejection:
        error, status = sentence(rejection), status_of(rejection)
    if status == 200 and not is_htmx(request):
        return see_other("artifact-form", artifact_id=found.pk)
    found.refresh_from_db()
    edit = Edit.of(found)
    edit.error = error
    return opened(request, (handle, found), form_template(found.kind), {"edit": edit}, status)


def step_of(posted: Posted) -> Step:
    """What a form asks for. Raises `NotFound` where it asks for nothing that there is."""
    try:
        return STEPS[posted.get("step", "")](posted)
    except KeyError:
        raise NotFound("This step") from None


def take(handle: Handle, artifact: Artifact, step: Step, base: int) -> None:
    """Make the step the next version. Raises a `Rejection`."""
    for _ in range(TRIES):
        now = _plan(artifact.data)
        if base != artifact.version and step.touches(_plan(data_at(artifact, base))) != step.touches(now):
            raise VersionConflict(base, artifact.version, artifact.changed_by)
        patch = WholeData(step.taken(now))
        try:
            handle.commit(EditArtifact(str(artifact.pk), base=artifact.version, patch=patch))
            return
        except VersionConflict:
            artifact.refresh_from_db()
    raise VersionConflict(base, artifact.version, artifact.changed_by)


def _plan(data: dict[str, Any]) -> Plan:
    """Stored data as a plan. Raises `Invalid` where it is none."""
    return cast(Plan, validated(Plan, data))
