"""An agent reads an artifact: it follows it from the same moment, so that no change falls in between."""

from artifacts import log
from artifacts.handle import Handle
from artifacts.models import Artifact
from threads.turns.following import follow
from threads.turns.saving import Turn


def follow_and_read(turn: Turn, handle: Handle, artifact_id: str) -> Artifact:
    """Follow the artifact and return it as it is. Raises `NotFound`, `ClaimLost` or `NotPermitted`."""

    def decide(entry: log.Entry) -> Artifact:
        handle.guard()
        artifact = handle.get(artifact_id)
        follow(entry, turn.claimed.thread, str(artifact.pk), turn.claimed.run)
        return artifact

    return log.write(handle.workspace, handle.actor, decide)
