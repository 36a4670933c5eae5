"""What every page of this admin is: rows that only the log may write are read here, and nothing else.

A page's tools are links to what belongs to its row, for those who may read that too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

if TYPE_CHECKING:
    Base = admin.ModelAdmin[Any]
    Rows = admin.TabularInline[Any, Any]
else:
    Base = admin.ModelAdmin  # takes no type parameters while it runs
    Rows = admin.TabularInline

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Link:
    """A way from one page to another."""

    text: str
    url: str


class ReadOnly(Base):
    """Rows that staff may look at and not change, however much they may do elsewhere."""

    actions: Sequence[Any] | None = None
    show_full_result_count = False
    list_per_page = PER_PAGE
    list_max_show_all = PER_PAGE
    view_on_site = False
    change_form_template = "admin/artifacts/reading.html"

    class Media:
        css = {"all": ["css/admin.css"]}

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody."""
        return False

    def links(self, request: HttpRequest, row: Any) -> list[Link]:
        """What belongs to a row, for the tools of its page."""
        return []

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The page of one row."""
        row = self.get_object(request, unquote(object_id))
        links = self.links(request, row) if row and self.has_view_permission(request, row) else []
        context = {"links": links, **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    def lists(self, request: HttpRequest, *wanted: tuple[str, type[Model], dict[str, Any]]) -> list[Link]:
        """Links to lists of other rows: a text, a model, and what the list is narrowed to."""
        return [
            Link(
                text,
                f"{reverse(f'admin:{model._meta.label_lower.replace(".", "_")}_changelist')}?{urlencode(only)}",
            )
            for text, model, only in wanted
            if self.admin_site.get_model_admin(model).has_view_permission(request)
        ]


class ReadOnlyRows(Rows):
    """Rows on the page of what they belong to, that staff may look at and not change."""

    can_delete = False
    extra = max_num = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False
