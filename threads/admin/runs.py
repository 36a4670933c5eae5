"""Runs: for whom, how they went step by step, and why they ended; stopped, and tried again."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from artifacts.admin.deeds import Deed, Doing
from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import Link
from artifacts.admin.verbatim import verbatim
from artifacts.core.envelope import seq_in
from threads.admin.timeline import timeline
from threads.admin.whereabouts import page_of, row_of
from threads.models import Chunk, Draft, Request, Run
from threads.turns.retrying import may_retry
from threads.turns.supervising import SUPERVISE, retry_run, stop_run


class RunInWorkspace(InWorkspace):
    """The workspace of the run's thread."""

    path = "thread__workspace"


def _stop(staff: User, row: Run, fields: dict[str, Any]) -> int:
    return stop_run(staff, str(row.pk)).seq


def _retry(staff: User, row: Run, fields: dict[str, Any]) -> int:
    return retry_run(staff, str(row.pk)).seq


def _may_be_retried(row: Run) -> bool:
    return row.thread.run_id == row.pk and row.thread.archived_at is None and may_retry(row.thread)


@admin.register(Run)
class RunAdmin(Doing):
    """Runs, newest first."""

    deeds = (
        Deed(
            "stop",
            "Stop",
            SUPERVISE,
            _stop,
            lambda row: [
                (
                    f"The agent stops what it does in “{row.thread}” for {row.user or 'a deleted account'}. What it"
                    " wrote stays, and what it asks is withdrawn. Everybody in the thread sees that you stopped it."
                )
            ],
            "asked to stop",
            offered=lambda row: not row.ended,
            is_destructive=True,
        ),
        Deed(
            "retry",
            "Try again",
            SUPERVISE,
            _retry,
            lambda row: [
                (
                    f"The agent goes on in “{row.thread}” from where this run ended, for {row.user or 'nobody'},"
                    " who has to be an editor there still."
                )
            ],
            "to be tried again",
            offered=_may_be_retried,
        ),
    )
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
        "thread",
        "user",
        "status",
        "code",
        "reason",
        "steps",
        "used",
        "trigger",
        "attempt",
        "started_at",
        "ended_at",
        "id",
    )

    class Media:
        js = ["js/admin/fresh.js"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Run]:
        """Runs with their threads."""
        rows: QuerySet[Run] = super().get_queryset(request)
        return rows.select_related("thread__workspace", "thread__run", "user")

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Run | None:
        """A run, with the place in its timeline from which the page shows it."""
        run: Run | None = super().get_object(request, object_id, from_field)
        if run is not None:
            run.shown_after = seq_in(request.GET.get("after", "")) or 0  # type: ignore[attr-defined]
        return run

    def links(self, request: HttpRequest, row: Run) -> list[Link]:
        """Its deeds; what it asked, drafted and said."""
        only = {"run": row.pk}
        requests = ("Requests", Request, {**only, "state": "all"})
        lists = self.lists(request, requests, ("Drafts", Draft, only), ("History of the model", Chunk, only))
        places = [*page_of(request.user, row.thread), *row_of(request.user, row.thread)]
        return [*super().links(request, row), *places, *lists]

    @admin.display(ordering="thread__workspace__name")
    def workspace(self, run: Run) -> str:
        """Where its thread is."""
        return str(run.thread.workspace)

    @admin.display(description="usage")
    def used(self, run: Run) -> SafeString:
        """What it used until now."""
        return verbatim(run.usage)

    @admin.display(description="timeline")
    def steps(self, run: Run) -> SafeString:
        """All that happened in it, in order; while it runs it keeps itself fresh."""
        shown = timeline(run, getattr(run, "shown_after", 0))
        return mark_safe(render_to_string("admin/threads/run/timeline.html", {"run": run, "timeline": shown}))  # noqa: S308 (a template)
