"""What a workspace's agents used, day by day, on the workspace's page."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from artifacts.admin.workspaces import WorkspaceAdmin
from threads.models import Day

if TYPE_CHECKING:
    Rows = admin.TabularInline[Any, Any]
else:
    Rows = admin.TabularInline

DAYS = 60


class DayRows(Rows):
    """The tokens of the last days."""

    model = Day
    fields = ("date", "tokens")
    ordering = ("-date",)
    verbose_name_plural = f"usage by day (UTC), the last {DAYS} days"
    can_delete = False
    extra = max_num = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Day]:
        """Those that are not long ago."""
        return super().get_queryset(request).filter(date__gte=timezone.now().date() - timedelta(days=DAYS))

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Whoever sees the workspace."""
        return True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False


WorkspaceAdmin.inlines = (*WorkspaceAdmin.inlines, DayRows)
