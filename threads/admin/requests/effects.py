"""What a call would make of an artifact, if it ran now: so that whoever decides sees that, and not its arguments alone.

Known for the tools that this installation brings. An application whose tools change artifacts adds them:
`EFFECTS["rewrite"] = edits(lambda arguments: WholeText(arguments["text"]))`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.safestring import SafeString

from artifacts.admin.rendered import compared, rendered
from artifacts.core.kinds import kind_named
from artifacts.core.kinds.base import validated
from artifacts.core.patches import Passage, Patch, applied
from artifacts.core.rejections import NotFound, Rejection
from artifacts.limits import limits
from artifacts.models import Artifact
from artifacts.reading import data_at
from threads.models import Request

NOTHING = SafeString("")


@dataclass(frozen=True, slots=True)
class Effect:
    """What would come of it: how it differs from what there is, and how it would look. Or a `problem`, in words."""

    title: str
    difference: SafeString = NOTHING
    look: SafeString = NOTHING
    problem: str = ""


type Making = Callable[[Request, Mapping[str, Any]], Effect]


def effect_of(request: Request, arguments: Mapping[str, Any]) -> Effect | None:
    """What the call would make of an artifact with these arguments; None for a tool of which nothing is known."""
    making = EFFECTS.get(request.tool)
    if making is None:
        return None
    try:
        return making(request, arguments)
    except Rejection as rejection:
        return Effect("It would fail as things are", problem=rejection.message)
    except (KeyError, TypeError, ValueError):
        return Effect("It would fail", problem="The arguments are not those that this tool takes.")


def edits(patch_of: Callable[[Mapping[str, Any]], Patch], artifact: str = "artifact") -> Making:
    """For a tool that changes the artifact which the argument `artifact` names."""

    def making(request: Request, arguments: Mapping[str, Any]) -> Effect:
        row = _named(request, arguments[artifact])
        after = applied(patch_of(arguments), kind_named(row.kind), row.data, limits()).model_dump(mode="json")
        title = f"What would change in “{row.title}”, version {row.version}"
        return Effect(title, compared(row.kind, row.data, after), rendered(row.kind, after))

    return making


def _creates(request: Request, arguments: Mapping[str, Any]) -> Effect:
    kind = kind_named(str(arguments["kind"]))
    made = validated(kind, arguments["data"], limits())
    return Effect(
        f"A new {kind.name}: “{made.title()}”", look=rendered(kind.name, made.model_dump(mode="json"))
    )


def _publishes(request: Request, arguments: Mapping[str, Any]) -> Effect:
    row, version = _named(request, arguments["artifact"]), int(arguments["version"])
    data = data_at(row, version)
    title = f"Version {version} of “{row.title}” for everybody to read"
    if version == row.version:
        return Effect(title, look=rendered(row.kind, data))
    note = f"It is not the newest: there is version {row.version}. Below is what that one changed since."
    return Effect(title, compared(row.kind, data, row.data), rendered(row.kind, data), note)


def _archives(request: Request, arguments: Mapping[str, Any]) -> Effect:
    row = _named(request, arguments["artifact"])
    return Effect(f"“{row.title}” would leave all lists. Its history would stay.")


def _named(request: Request, name: Any) -> Artifact:
    try:
        return Artifact.objects.get(workspace=request.thread.workspace_id, pk=str(name))
    except (Artifact.DoesNotExist, ValidationError, ValueError):
        raise NotFound("The artifact that it names") from None


EFFECTS: dict[str, Making] = {
    "edit_text": edits(lambda arguments: Passage(str(arguments["old"]), str(arguments["new"]))),
    "create_artifact": _creates,
    "publish_artifact": _publishes,
    "archive_artifact": _archives,
}
