"""Narrowing a list to one workspace. A filter offers a bounded number of them; a workspace's own page links to all."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from artifacts.models import Workspace

MANY = 30


class InWorkspace(admin.SimpleListFilter):
    """The workspace that a row is in. `path` leads to it from the row."""

    title = "workspace"
    parameter_name = "workspace"
    path = "workspace"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The first by name, and the one that was chosen."""
        rows = {str(row.pk): row.name for row in [*self.offered()[:MANY], *self.chosen()]}
        return sorted(rows.items(), key=lambda row: row[1].casefold())

    def offered(self) -> QuerySet[Workspace]:
        """The workspaces to choose from."""
        return Workspace.objects.order_by("name")

    def chosen(self) -> Iterable[Workspace]:
        """The workspace that the address names."""
        if (wanted := self.value()) is None:
            return []
        try:
            return [Workspace.objects.get(pk=wanted)]
        except (Workspace.DoesNotExist, ValidationError) as wrong:
            raise IncorrectLookupParameters(wrong) from wrong

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of the chosen workspace, or all."""
        return queryset.filter(**{self.path: self.value()}) if self.value() else queryset


class Archived(admin.SimpleListFilter):
    """Whether a row is archived; what is not comes first to mind, but all are shown until one chooses."""

    title = "archived"
    parameter_name = "archived"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Yes or no."""
        return [("no", "No"), ("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The rows that are, or are not."""
        return queryset.filter(archived_at__isnull=self.value() == "no") if self.value() else queryset
