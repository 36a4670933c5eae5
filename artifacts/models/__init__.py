"""The rows of workspaces, their log, and artifacts. Only `log.write` changes what is in the log."""

from artifacts.models.artifacts import Artifact, Publication, Revision
from artifacts.models.events import Event
from artifacts.models.invitations import Invitation
from artifacts.models.profiles import Profile
from artifacts.models.proposals import Proposal
from artifacts.models.receipts import Receipt
from artifacts.models.workspaces import Membership, Workspace

__all__ = [
    "Artifact",
    "Event",
    "Invitation",
    "Membership",
    "Profile",
    "Proposal",
    "Publication",
    "Receipt",
    "Revision",
    "Workspace",
]
