"""Narrowing the queue. What is open comes first, and other states on demand."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from artifacts.admin.narrowing import InWorkspace
from artifacts.models import Workspace
from threads.core import decisions
from threads.models import Request

ALL = "all"


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


class RequestInWorkspace(InWorkspace):
    """The workspace of the request's thread; those in which something waits are offered."""

    path = "thread__workspace"

    def offered(self) -> QuerySet[Workspace]:
        """Where something waits."""
        waiting = Request.objects.filter(state=decisions.OPEN)
        return super().offered().filter(pk__in=waiting.values("thread__workspace"))
