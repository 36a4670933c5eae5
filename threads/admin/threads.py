"""Threads: what they are about, whether the agent works, and what it follows."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from artifacts.admin.narrowing import Archived, InWorkspace
from artifacts.admin.reading import Link, ReadOnly, ReadOnlyRows
from artifacts.models import Event
from threads.admin.whereabouts import page_of
from threads.models import Chunk, Draft, Focus, Request, Run, Thread


class FocusRows(ReadOnlyRows):
    """The artifacts that a thread follows."""

    model = Focus
    fields = ("artifact", "seq")
    verbose_name_plural = "artifacts that it follows"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Focus]:
        """With the artifacts' titles."""
        return super().get_queryset(request).select_related("artifact").defer("artifact__data")


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
