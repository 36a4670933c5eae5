"""Narrowing the queue. What is open comes first, and other states on demand."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from artifacts.admin.narrowing import InWorkspace
from artifacts.models import Workspace
from threads.core import decisions
from threads.models import Request

ALL = "all"
TOOLS = 50


class InState(admin.SimpleListFilter):
    """Open, unless one asks for another."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Each state, and all of them."""
        return [*((state.value, state.label) for state in Request.State), (ALL, "All")]

    def value(self) -> str:
        """The state that is shown."""
        return super().value() or decisions.OPEN

    def choices(self, changelist: Any) -> Iterator[Any]:
        """The lookups alone: without a choice it is what is open, and not everything."""
        _everything, *choices = super().choices(changelist)
        yield from choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The requests in that state."""
        return queryset if self.value() == ALL else queryset.filter(state=self.value())


class OfTool(admin.SimpleListFilter):
    """The tool that asks; those for which something waits are offered."""

    title = "tool"
    parameter_name = "tool"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The tools by name, and the one that was chosen."""
        waiting = Request.objects.filter(state=decisions.OPEN).order_by("tool")
        tools = {*waiting.values_list("tool", flat=True).distinct()[:TOOLS]}
        if (chosen := self.value()) is not None:
            tools.add(chosen)
        return [(tool, tool) for tool in sorted(tools)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The requests of that tool."""
        return queryset.filter(tool=self.value()) if self.value() else queryset


class Waiting(admin.SimpleListFilter):
    """How long ago it was asked."""

    title = "age"
    parameter_name = "age"
    ages = {
        "hour": ("More than an hour", timedelta(hours=1)),
        "day": ("More than a day", timedelta(days=1)),
        "week": ("More than a week", timedelta(weeks=1)),
    }

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """From an hour to a week."""
        return [(name, label) for name, (label, _) in self.ages.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """What was asked before that."""
        chosen = self.ages.get(self.value() or "")
        return queryset.filter(asked_at__lt=timezone.now() - chosen[1]) if chosen else queryset


class RequestInWorkspace(InWorkspace):
    """The workspace of the request's thread; those in which something waits are offered."""

    path = "thread__workspace"

    def offered(self) -> QuerySet[Workspace]:
        """Where something waits."""
        waiting = Request.objects.filter(state=decisions.OPEN)
        return super().offered().filter(pk__in=waiting.values("thread__workspace"))
