"""What a thread's menu shows: its title, and what its agent follows."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from artifacts.core.rules import VIEWER
from artifacts.members import role_of
from artifacts.models import Artifact
from artifacts.web.access import SignedIn
from threads.models import Thread

OTHERS = 100
"""Artifacts that are offered to be followed."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The menu of a thread for one viewer, with why the last thing was refused and what had been typed."""

    thread: Thread
    may_write: bool
    error: str = ""
    typed: str | None = None

    @property
    def title(self) -> str:
        """The title as it is, or as somebody wanted it."""
        return self.thread.title if self.typed is None else self.typed

    @property
    def followed(self) -> QuerySet[Artifact]:
        """What the thread follows, what is archived too."""
        return Artifact.objects.filter(pk__in=self._focus).defer("data").order_by("title")

    @property
    def others(self) -> QuerySet[Artifact]:
        """What it could follow, the last changed first."""
        rows = Artifact.objects.filter(workspace=self.thread.workspace_id, archived_at=None)
        return rows.exclude(pk__in=self._focus).defer("data").order_by("-changed_at")[:OTHERS]

    @property
    def _focus(self) -> Any:
        return self.thread.focus.values("artifact")


def menu_of(request: SignedIn, thread: Thread, error: str = "", typed: str | None = None) -> Menu:
    """The menu as this viewer gets it."""
    role = role_of(request.user.pk, str(thread.workspace_id))
    return Menu(thread, role not in (None, VIEWER), error, typed)
