"""How each command changes the rows of artifacts, inside `log.write`: a file for each thing that can happen."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from artifacts.changing.archiving import archive, unarchive
from artifacts.changing.creating import create
from artifacts.changing.editing import edit, restore
from artifacts.changing.proposing import propose_change, withdraw
from artifacts.changing.publishing import publish, unpublish
from artifacts.changing.resolving import respond
from artifacts.core import commands
from artifacts.log import Entry

if TYPE_CHECKING:
    from artifacts.handle import Handle

CHANGES: dict[type[Any], Callable[[Entry, "Handle", Any], Any]] = {
    commands.CreateArtifact: create,
    commands.EditArtifact: edit,
    commands.RestoreRevision: restore,
    commands.ArchiveArtifact: archive,
    commands.UnarchiveArtifact: unarchive,
    commands.PublishArtifact: publish,
    commands.UnpublishArtifact: unpublish,
    commands.ProposeChange: propose_change,
    commands.RespondToProposal: respond,
    commands.WithdrawProposal: withdraw,
}


def carry_out[T](entry: Entry, handle: "Handle", command: commands.Asked[T]) -> T:
    """Change what the command says, or raise a `Rejection`."""
    return cast(T, CHANGES[type(command)](entry, handle, command))
