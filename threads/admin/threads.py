"""Threads: what they are about, whether the agent works, and what it follows."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from artifacts.admin.narrowing import Archived, InWorkspace
from artifacts.admin.reading import Link, ReadOnly
from artifacts.models import Event
from threads.admin.whereabouts import page_of
from threads.models import Chunk, Draft, Focus, Request, Run, Thread

if TYPE_CHECKING:
    Rows = admin.TabularInline[Any, Any]
else:
    Rows = admin.TabularInline


class FocusRows(Rows):
    """The artifacts that a thread follows."""

    model = Focus
    fields = ("artifact", "seq")
    verbose_name_plural = "artifacts that it follows"
    can_delete = False
    extra = max_num = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Focus]:
        """With the artifacts' titles."""
        return super().get_queryset(request).select_related("artifact").defer("artifact__data")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False


@admin.register(Thread)
class ThreadAdmin(ReadOnly):
    """Threads, the last active first."""

    inlines = (FocusRows,)
    list_display = ("__str__", "workspace", "state", "mode", "created_by", "changed_at", "archived_at")
    list_filter = ("run__status", "mode", Archived, InWorkspace)
    list_select_related = ("workspace", "run", "created_by")
    search_fields = ("=id", "title")
    fields = (
        "id",
        "title",
        "workspace",
        "state",
        "mode",
        "created_by",
        "created_at",
        "changed_at",
        "archived_at",
        "run",
        "asked_seq",
        "taken_seq",
        "owner",
        "claimed_until",
    )

    def links(self, request: HttpRequest, row: Thread) -> list[Link]:
        """Its page on the site for members; its runs, requests, drafts, history and events."""
        only = {"thread": row.pk}
        rows = self.lists(
            request,
            ("Runs", Run, only),
            ("Requests", Request, {**only, "state": "all"}),
            ("Drafts", Draft, only),
            ("History", Chunk, only),
            ("Log", Event, {"q": row.pk}),
        )
        return [*page_of(request.user, row), *rows]

    @admin.display(ordering="run__status")
    def state(self, thread: Thread) -> str:
        """`idle`, `running` or `paused`."""
        return thread.status
