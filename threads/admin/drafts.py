"""What agents are writing, or left unfinished: read as it will look, and settled."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from artifacts.admin.deeds import AboutRow, Deed, Doing
from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import Link
from artifacts.admin.rendered import compared, rendered
from artifacts.admin.verbatim import characters, shortened, verbatim
from artifacts.web.prose import bounded
from threads.admin.whereabouts import page_of, row_of
from threads.live import DraftView, hub
from threads.models import Draft
from threads.turns.drafts import SETTLE, discard_draft, propose_draft, publish_draft


class DraftInWorkspace(InWorkspace):
    """The workspace of the draft's thread."""

    path = "thread__workspace"


class ProposeForm(AboutRow):
    """The version that the draft was compared with."""

    base = forms.IntegerField(widget=forms.HiddenInput, min_value=1)

    def of(self, row: Draft) -> dict[str, Any]:
        """The artifact's version as it is shown."""
        return {"base": row.artifact.version if row.artifact else 0}


def _publish(staff: User, row: Draft, fields: dict[str, Any]) -> int:
    return publish_draft(staff, row.pk).seq


def _propose(staff: User, row: Draft, fields: dict[str, Any]) -> int:
    return propose_draft(staff, row.pk, fields["base"]).seq


def _discard(staff: User, row: Draft, fields: dict[str, Any]) -> int:
    return discard_draft(staff, row.pk)


def _is_left(row: Draft) -> bool:
    return row.state == Draft.State.LEFT


@admin.register(Draft)
class DraftAdmin(Doing):
    """Drafts, the last written first."""

    deeds = (
        Deed(
            "artifact",
            "Publish as an artifact",
            SETTLE,
            _publish,
            lambda row: [
                f"“{row}” becomes a new artifact of {row.thread.workspace}, by you, as the draft stands."
            ],
            "published as an artifact",
            offered=_is_left,
        ),
        Deed(
            "proposal",
            "Publish as a proposal",
            SETTLE,
            _propose,
            lambda row: [
                (
                    f"“{row}” becomes a proposal on “{row.artifact}”, version {row.artifact.version}, by you. Nothing"
                    " changes in it before one of the workspace's editors accepts that."
                )
            ],
            "published as a proposal",
            ProposeForm,
            offered=lambda row: _is_left(row) and row.artifact is not None,
        ),
        Deed(
            "disposal",
            "Discard",
            SETTLE,
            _discard,
            lambda row: [f"Nothing becomes of “{row}”. What was written stays to be read here."],
            "discarded",
            offered=_is_left,
            is_destructive=True,
        ),
    )
    list_display = ("__str__", "kind", "length", "thread", "workspace", "state", "updated_at")
    list_filter = ("state", "kind", DraftInWorkspace)
    list_select_related = ("thread__workspace",)
    search_fields = ("title", "thread__title")
    fields = (
        "title",
        "kind",
        "state",
        "thread",
        "run",
        "artifact",
        "updated_at",
        "decided_by",
        "decided_at",
        "preview",
        "change",
        "whole",
    )

    class Media:
        js = ["js/admin/fresh.js"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Draft]:
        """Drafts with the size of their data; a page of one loads it."""
        rows: QuerySet[Draft] = shortened(super().get_queryset(request), "data")
        return rows.select_related("thread__workspace", "artifact")

    def links(self, request: HttpRequest, row: Draft) -> list[Link]:
        """Its deeds, its thread, and what became of it."""
        return [
            *super().links(request, row),
            *page_of(request.user, row.thread),
            *row_of(request.user, row.thread),
        ]

    @admin.display(ordering="thread__workspace__name")
    def workspace(self, draft: Draft) -> str:
        """Where it is written."""
        return str(draft.thread.workspace)

    @admin.display(description="size", ordering="size")
    def length(self, draft: Draft) -> str:
        """How much there is of it."""
        return characters(getattr(draft, "size", 0))

    @admin.display
    def preview(self, draft: Draft) -> SafeString:
        """As it would look; while it is written, as far as it is."""
        view = live_view(draft) if draft.state == Draft.State.WRITING else None
        html = _live(view) if view else rendered(draft.kind, draft.data)
        is_fresh = ' data-fresh="2"' if draft.state == Draft.State.WRITING else ""
        return format_html('<div id="draft-preview"{}>{}</div>', mark_safe(is_fresh), html)  # noqa: S308 (a constant)

    @admin.display(description="what it would change")
    def change(self, draft: Draft) -> SafeString:
        """How it differs from the artifact that it was for."""
        if draft.artifact is None:
            return SafeString("It was for no artifact that there is.")
        return compared(draft.kind, draft.artifact.data, draft.data)

    @admin.display(description="data")
    def whole(self, draft: Draft) -> SafeString:
        """All that there is of it."""
        return verbatim(draft.data)


def live_view(draft: Draft) -> DraftView | None:
    """What its run is writing in this process, at this moment."""
    run = hub.get(str(draft.thread_id))
    safe = "".join(letter if letter.isalnum() else "-" for letter in draft.call)
    parts = list(run.parts.values()) if run else []
    return next((part.draft for part in parts if part.draft and part.id.endswith(f"-draft-{safe}")), None)


def _live(view: DraftView) -> SafeString:
    prose = bounded(view["text"])
    return format_html(
        '<div class="rendered"><h3>{}</h3>{}</div>',
        view["title"],
        mark_safe(prose.html),  # noqa: S308 (cleaned)
    )
