"""Who may do what in a workspace."""

from artifacts.core.actors import Actor
from artifacts.core.rejections import Forbidden, NotFound

VIEWER, EDITOR, OWNER = "viewer", "editor", "owner"
ROLES = (VIEWER, EDITOR, OWNER)
AGENTS = ("agent", "external")


def require_member(role: str | None) -> str:
    """The role, or `NotFound`: to a stranger the workspace does not exist."""
    if role is None:
        raise NotFound("This workspace")
    return role


def require_editor(role: str | None) -> None:
    """Raises `Forbidden` for viewers and `NotFound` for strangers."""
    if require_member(role) == VIEWER:
        raise Forbidden("You may read here, and not write. Ask an owner to make you an editor.")


def require_owner(role: str | None) -> None:
    """Raises `Forbidden` for members who are no owners and `NotFound` for strangers."""
    if require_member(role) != OWNER:
        raise Forbidden("Only an owner may do this. Ask one of them.")


def require_decider(actor: Actor, author: Actor) -> None:
    """Raises `Forbidden` for the author of a proposal, and for agents: people decide."""
    if actor.kind in AGENTS:
        raise Forbidden("People decide on proposals. Ask one of them.")
    if actor.is_same(author):
        raise Forbidden(
            "You made this proposal, so somebody else decides on it. You may withdraw it. Ask an editor."
        )


def require_author(actor: Actor, author: Actor) -> None:
    """Raises `Forbidden` for everybody but the author of a proposal."""
    if not actor.is_same(author):
        raise Forbidden(f"Only {author.name} may withdraw this proposal. Ask an editor to reject it.")
