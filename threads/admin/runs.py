"""Runs: for whom, how they went, and why they ended."""

from django.contrib import admin
from django.http import HttpRequest
from django.utils.safestring import SafeString

from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import Link, ReadOnly
from artifacts.admin.verbatim import verbatim
from threads.models import Chunk, Draft, Request, Run


class RunInWorkspace(InWorkspace):
    """The workspace of the run's thread."""

    path = "thread__workspace"


@admin.register(Run)
class RunAdmin(ReadOnly):
    """Runs, newest first."""

    list_display = (
        "id",
        "thread",
        "workspace",
        "user",
        "status",
        "trigger",
        "started_at",
        "ended_at",
        "code",
    )
    list_filter = ("status", "code", RunInWorkspace)
    list_select_related = ("thread__workspace", "user")
    search_fields = ("=id", "thread__title", "user__username")
    ordering = ("-started_at",)
    fields = (
        "id",
        "thread",
        "user",
        "status",
        "trigger",
        "attempt",
        "started_at",
        "ended_at",
        "code",
        "reason",
        "used",
        "seq",
        "paused_seq",
        "stop_seq",
    )

    def links(self, request: HttpRequest, row: Run) -> list[Link]:
        """What it asked, drafted and said."""
        only = {"run": row.pk}
        requests = ("Requests", Request, {**only, "state": "all"})
        return self.lists(request, requests, ("Drafts", Draft, only), ("History", Chunk, only))

    @admin.display(ordering="thread__workspace__name")
    def workspace(self, run: Run) -> str:
        """Where its thread is."""
        return str(run.thread.workspace)

    @admin.display(description="usage")
    def used(self, run: Run) -> SafeString:
        """What it used until now."""
        return verbatim(run.usage)
