"""The rows of workspaces, their log, and artifacts. Only `log.write` changes what is in the log."""

from artifacts.models.artifacts import Artifact, Publication, Revision
from artifacts.models.events import Event
from artifacts.models.workspaces import Invitation, Membership, Workspace

__all__ = ["Artifact", "Event", "Invitation", "Membership", "Publication", "Revision", "Workspace"]
