"""Staff say how a workspace is governed, and delete one, which takes all that is in it along."""

from dataclasses import asdict, dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from artifacts import announcing, log
from artifacts.core import events
from artifacts.core.rejections import Forbidden, Invalid
from artifacts.members import GOVERN, account_with, actor_of
from artifacts.models import Workspace

ERASE = "artifacts.erase_workspaces"
TOKENS_LIMIT = 10**12


@dataclass(frozen=True, slots=True)
class Governance:
    """How a workspace is governed; see `Workspace`."""

    default_mode: str = Workspace.Mode.EDIT
    tokens_a_day: int | None = None
    editors_decide: bool = False


def govern(staff: User, workspace_id: str, governance: Governance) -> int:
    """Govern a workspace so from now on; the `seq`. Raises `NotFound`, `Forbidden` or `Invalid`."""

    def decide(entry: log.Entry) -> int:
        _require(staff, GOVERN)
        wanted = _checked(governance)
        if all(getattr(entry.workspace, name) == value for name, value in wanted.items()):
            return entry.head
        Workspace.objects.filter(pk=entry.workspace.pk).update(**wanted)
        return entry.append(events.WORKSPACE_GOVERNED, wanted)

    return log.write(workspace_id, actor_of(staff), decide)


def erase(staff: User, workspace_id: str, name: str) -> None:
    """Delete a workspace and all that is in it; `name` is its name, to be sure that this one is meant.

    A turn that holds one of its threads finds that its claim is gone. Raises `NotFound`, `Forbidden` or `Invalid`.
    """

    def decide(entry: log.Entry) -> None:
        _require(staff, ERASE)
        if name.strip() != entry.workspace.name.strip():
            raise Invalid({"name": "Is not the name of this workspace. Write it exactly as it stands above."})
        wipe(entry)

    log.write(workspace_id, actor_of(staff), decide)


def wipe(entry: log.Entry) -> None:
    """Delete the workspace of a write that has made sure that it may be. Whoever follows its log is told to look."""
    workspace_id = str(entry.workspace.pk)
    entry.workspace.delete()
    transaction.on_commit(lambda: announcing.announce(workspace_id, []), robust=True)


def _checked(governance: Governance) -> dict[str, Any]:
    if governance.default_mode not in Workspace.Mode.values:
        raise Invalid({"default_mode": f"Choose one of {', '.join(Workspace.Mode.values)}."})
    tokens = governance.tokens_a_day
    if tokens is not None and not 0 <= tokens <= TOKENS_LIMIT:
        raise Invalid({"tokens_a_day": f"Choose a number from 0 to {TOKENS_LIMIT:,}, or leave it empty."})
    return {**asdict(governance), "default_mode": str(governance.default_mode)}


def _require(staff: User, permission: str) -> None:
    if account_with(staff, permission) is None:
        raise Forbidden(f"This needs the permission {permission}. Ask who manages accounts here.")
