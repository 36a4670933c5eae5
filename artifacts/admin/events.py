"""The log, newest first. It is append-only, here too."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import ReadOnly
from artifacts.admin.verbatim import beginning, shortened, verbatim
from artifacts.core import events
from artifacts.core.envelope import id_in
from artifacts.models import Event

TYPES: list[str] = list(events.ALL)
"""The types that the filter offers. An app that writes others to the log adds them when its admin is imported."""


class OfType(admin.SimpleListFilter):
    """What happened. Offered from what is known, as a search for what there is would read the whole log."""

    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Every known type."""
        return [(type, type.replace("_", " ")) for type in TYPES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """The events of the chosen type, or all."""
        return queryset.filter(type=self.value()) if self.value() else queryset


@admin.register(Event)
class EventAdmin(ReadOnly):
    """The log's rows."""

    list_display = ("seq", "type", "who", "begins", "of", "workspace", "at")
    list_display_links = ("seq", "type")
    list_filter = (OfType, InWorkspace)
    list_select_related = ("workspace",)
    search_fields = ("thread",)
    search_help_text = "The id of a thread or of an artifact."
    sortable_by = ()
    fields = (
        "workspace",
        "seq",
        "type",
        "at",
        "who",
        "actor_kind",
        "actor_id",
        "thread",
        "artifact",
        "about",
        "key",
        "whole",
    )

    def get_ordering(self, request: HttpRequest) -> tuple[str]:
        """Newest first, by the index that the list is narrowed by."""
        return ("-seq",) if "workspace" in request.GET else ("-id",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Event]:
        """Events with the beginning of their data alone; a page of one loads the rest."""
        return shortened(super().get_queryset(request), "data")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The events of the thread or of the artifact with this id."""
        if not search_term.strip():
            return queryset, False
        wanted = id_in(search_term.strip())
        if wanted is None:
            return queryset.none(), False
        return queryset.filter(Q(thread=wanted) | Q(artifact=wanted)), False

    @admin.display(description="by")
    def who(self, event: Event) -> str:
        """Who did it."""
        return event.actor_name

    @admin.display(description="of")
    def of(self, event: Event) -> SafeString:
        """The thread and the artifact that it belongs to, as ways to all their events."""
        named = (("thread", event.thread), ("artifact", event.artifact))
        return format_html_join("", '<a href="?q={}">{}</a> ', ((id, name) for name, id in named if id))

    @admin.display(description="data")
    def begins(self, event: Event) -> str:
        """The beginning of what it says."""
        return beginning(getattr(event, "beginning", ""))

    @admin.display(description="data")
    def whole(self, event: Event) -> SafeString:
        """All that it says."""
        return verbatim(event.data)
