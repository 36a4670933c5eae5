"""An agent reads an artifact: it follows it from the same moment, so that no change falls in between."""

from artifacts import log
from artifacts.handle import Handle
from artifacts.models import Artifact
from threads.turns.following import follow
from threads.turns.saving import Turn


def follow_and_read(turn: Turn, handle: Handle, artifact_id: str) -> tuple[Artifact, bool]:
    """Follow the artifact; return it as it is, and whether it is followed: there may be no room.

    Raises `NotFound`, `ClaimLost` or `NotPermitted`.
    """

    def decide(entry: log.Entry) -> tuple[Artifact, bool]:
        handle.guard()
        artifact = handle.get(artifact_id)
        return artifact, follow(entry, turn.claimed.thread, str(artifact.pk), turn.claimed.run)

    return log.write(handle.workspace, handle.actor, decide)
