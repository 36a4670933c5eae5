"""Why something was refused. A rejection says what to do next; nothing was changed."""

from collections.abc import Sequence
from typing import Any, ClassVar


class Rejection(Exception):
    """A refusal that callers are meant to handle and people to read.

    `code` is stable and for programs, `message` one or two sentences for people, `details` typed by the code.
    """

    code: ClassVar[str] = "rejected"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class NotFound(Rejection):
    """What was named does not exist, or not for this actor."""

    code = "not_found"

    def __init__(self, what: str = "This page") -> None:
        super().__init__(f"{what} does not exist, or you have no access to it. Check how you named it.")


class Forbidden(Rejection):
    """The actor is known here, and may not do this."""

    code = "forbidden"


class Invalid(Rejection):
    """A value does not fit. `fields` maps each field's name to a sentence."""

    code = "invalid"

    def __init__(self, fields: dict[str, str]) -> None:
        message = " ".join(f"{name}: {problem}" for name, problem in fields.items())
        super().__init__(message, fields=fields)


class VersionConflict(Rejection):
    """The edit was based on a version that is not the newest. Details: `base`, `head`, `by`."""

    code = "version_conflict"

    def __init__(self, base: int, head: int, by: str) -> None:
        super().__init__(
            f"This was written for version {base}, and {by} has since made version {head}. "
            "Look at what changed, then make your change again.",
            base=base,
            head=head,
            by=by,
        )


class PatchFailed(Rejection):
    """What to change is not there, or not exactly once.

    Details: `occurrences` of the passage; for a JSON patch also the number of its `operation` and that one's `path`.
    """

    code = "patch_failed"

    def __init__(self, occurrences: int, *, operation: int | None = None, path: str = "") -> None:
        if operation is not None:
            super().__init__(
                f"Operation {operation} of the patch does not fit the current version at “{path[:200]}”. "
                "Look at what is there now, then make your change again.",
                occurrences=0,
                operation=operation,
                path=path[:200],
            )
            return
        found = (
            "The passage to replace does not occur in the current version."
            if occurrences == 0
            else "The passage to replace occurs more than once in the current version."
        )
        super().__init__(f"{found} Quote a passage that occurs exactly once.", occurrences=occurrences)


class OutOfDate(Rejection):
    """A proposal no longer fits the artifact. Details: `head`, the version now, and `conflicts`, the fields' names."""

    code = "out_of_date"

    def __init__(self, why: str, head: int, conflicts: Sequence[str]) -> None:
        super().__init__(
            f"This proposal no longer applies: {why} Look at both, then accept it with your own changes or reject it.",
            head=head,
            conflicts=list(conflicts),
        )


class AlreadyDecided(Rejection):
    """It was settled before. Details: `by`, `decision`."""

    code = "already_decided"

    def __init__(self, by: str, decision: str) -> None:
        said = f"withdrawn when the run ended, by {by}" if decision == "closed" else f"{decision} by {by}"
        super().__init__(f"This was already {said}. Nothing was changed.", by=by, decision=decision)


class CommandIdReused(Rejection):
    """The command id was used for another command by the same actor."""

    code = "command_id_reused"

    def __init__(self) -> None:
        super().__init__(
            "Something else was done under this command id. Nothing was changed: ask with a new id."
        )


class Archived(Rejection):
    """The thing is archived and takes no changes."""

    code = "archived"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} is archived. Bring it back before you change it.")


class TooLarge(Rejection):
    """A value is above a limit. Details: `limit`, in the unit that the message names."""

    code = "too_large"


class InvitationOver(Rejection):
    """A link that joins nobody: used, expired, withdrawn, or never made."""

    code = "invitation_over"

    def __init__(self, why: str) -> None:
        super().__init__(f"{why} Ask whoever invited you for a new one.")
