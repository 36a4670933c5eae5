"""What a thread's menu shows: its title, and what its agent follows."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from artifacts.models import Artifact
from threads.models import Thread

OTHERS = 100
"""Artifacts that are offered to be followed."""


@dataclass(frozen=True, slots=True)
class Menu:
    """The menu of a thread, with why the last thing was refused and what had been typed."""

    thread: Thread
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
