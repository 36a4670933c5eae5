"""Who may do what in a workspace."""

from artifacts.core.rejections import Forbidden, NotFound

VIEWER, EDITOR, OWNER = "viewer", "editor", "owner"
ROLES = (VIEWER, EDITOR, OWNER)


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
