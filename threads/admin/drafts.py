"""What agents are writing, or left unfinished."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import ReadOnly
from artifacts.admin.verbatim import characters, shortened, verbatim
from threads.models import Draft


class DraftInWorkspace(InWorkspace):
    """The workspace of the draft's thread."""

    path = "thread__workspace"


@admin.register(Draft)
class DraftAdmin(ReadOnly):
    """Drafts, the last written first."""

    list_display = ("__str__", "kind", "length", "thread", "workspace", "state", "updated_at")
    list_filter = ("state", "kind", DraftInWorkspace)
    list_select_related = ("thread__workspace",)
    search_fields = ("title", "thread__title")
    fields = ("title", "kind", "state", "thread", "run", "call", "artifact", "updated_at", "whole")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Draft]:
        """Drafts with the size of their data; a page of one loads it."""
        return shortened(super().get_queryset(request), "data")

    @admin.display(ordering="thread__workspace__name")
    def workspace(self, draft: Draft) -> str:
        """Where it is written."""
        return str(draft.thread.workspace)

    @admin.display(description="size", ordering="size")
    def length(self, draft: Draft) -> str:
        """How much there is of it."""
        return characters(getattr(draft, "size", 0))

    @admin.display(description="data")
    def whole(self, draft: Draft) -> SafeString:
        """All that there is of it."""
        return verbatim(draft.data)
