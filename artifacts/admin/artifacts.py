"""Artifacts, every version they had, and the versions made public."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from artifacts.admin.narrowing import Archived, InWorkspace
from artifacts.admin.reading import Link, ReadOnly
from artifacts.admin.verbatim import characters, shortened, verbatim
from artifacts.models import Artifact, Event, Publication, Revision


@admin.register(Artifact)
class ArtifactAdmin(ReadOnly):
    """Artifacts as they are now."""

    list_display = (
        "title",
        "kind",
        "version",
        "length",
        "workspace",
        "changed_by",
        "changed_at",
        "archived_at",
    )
    list_filter = ("kind", Archived, InWorkspace)
    list_select_related = ("workspace",)
    search_fields = ("title",)
    fields = (
        "id",
        "title",
        "kind",
        "version",
        "workspace",
        "created_at",
        "changed_by",
        "changed_at",
        "archived_at",
        "whole",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Artifact]:
        """Artifacts with the size of their data; a page of one loads it."""
        return shortened(super().get_queryset(request), "data")

    def links(self, request: HttpRequest, row: Artifact) -> list[Link]:
        """Its versions and its events."""
        versions = ("Versions", Revision, {"artifact": row.pk})
        return self.lists(request, versions, ("Log", Event, {"q": row.pk}))

    @admin.display(description="size", ordering="size")
    def length(self, artifact: Artifact) -> str:
        """How much it holds."""
        return characters(getattr(artifact, "size", 0))

    @admin.display(description="data")
    def whole(self, artifact: Artifact) -> SafeString:
        """All that it holds."""
        return verbatim(artifact.data)


@admin.register(Revision)
class RevisionAdmin(ReadOnly):
    """Versions as they were."""

    list_display = ("title", "version", "workspace", "actor_name", "summary", "at")
    list_select_related = ("artifact__workspace",)
    search_fields = ("title",)
    ordering = ("-id",)
    fields = (
        "artifact",
        "version",
        "title",
        "summary",
        "actor_name",
        "actor_kind",
        "at",
        "seq",
        "whole",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision]:
        """Versions without their data; a page of one rebuilds it."""
        rows: QuerySet[Revision] = super().get_queryset(request)
        return rows.defer("snapshot", "patch", "artifact__data")

    @admin.display(ordering="artifact__workspace__name")
    def workspace(self, revision: Revision) -> str:
        """Where the artifact is."""
        return str(revision.artifact.workspace)

    @admin.display(description="data")
    def whole(self, revision: Revision) -> SafeString:
        """All that it held."""
        return verbatim(revision.data)


@admin.register(Publication)
class PublicationAdmin(ReadOnly):
    """Versions that everybody may read."""

    list_display = ("title", "version", "workspace", "published_by", "published_at", "page")
    list_select_related = ("revision__artifact__workspace",)
    search_fields = ("revision__title",)
    ordering = ("-published_at",)
    fields = ("id", "revision", "published_by", "published_at", "page")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Publication]:
        """Publications without the data of what they show."""
        rows: QuerySet[Publication] = super().get_queryset(request)
        return rows.defer("revision__snapshot", "revision__patch", "revision__artifact__data")

    @admin.display(ordering="revision__title")
    def title(self, publication: Publication) -> str:
        """Of the version that is public."""
        return publication.revision.title

    @admin.display(ordering="revision__version")
    def version(self, publication: Publication) -> int:
        """Which one it is."""
        return publication.revision.version

    @admin.display(ordering="revision__artifact__workspace__name")
    def workspace(self, publication: Publication) -> str:
        """Where the artifact is."""
        return str(publication.revision.artifact.workspace)

    @admin.display(description="public page")
    def page(self, publication: Publication) -> SafeString:
        """Where everybody reads it."""
        address = reverse("publication", args=[publication.pk])
        return format_html('<a href="{}">{}</a>', address, address)
