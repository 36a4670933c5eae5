"""What a workspace's agents used, day by day, on the workspace's page."""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from artifacts.admin.reading import ReadOnlyRows
from artifacts.admin.workspaces import WorkspaceAdmin
from threads.models import Day

DAYS = 60


class DayRows(ReadOnlyRows):
    """The tokens of the last days."""

    model = Day
    fields = ("date", "tokens")
    ordering = ("-date",)
    verbose_name_plural = f"usage by day (UTC), the last {DAYS} days"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Day]:
        """Those that are not long ago."""
        return super().get_queryset(request).filter(date__gte=timezone.now().date() - timedelta(days=DAYS))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees the workspace."""
        return True


WorkspaceAdmin.inlines = (*WorkspaceAdmin.inlines, DayRows)
