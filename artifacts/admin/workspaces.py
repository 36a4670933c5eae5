"""Workspaces and who is in them."""

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import Link, ReadOnly
from artifacts.models import Artifact, Event, Invitation, Membership, Workspace


@admin.register(Workspace)
class WorkspaceAdmin(ReadOnly):
    """What teams share."""

    list_display = ("name", "members", "head", "created_at")
    search_fields = ("name",)
    ordering = ("name",)
    fields = ("id", "name", "head", "created_at", "members")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Workspace]:
        """Workspaces with the number of their members, counted for those that are shown."""
        members = Membership.objects.filter(workspace=OuterRef("pk")).order_by().values("workspace")
        counted = members.annotate(number=Count("pk")).values("number")
        rows: QuerySet[Workspace] = super().get_queryset(request)
        return rows.annotate(number=Coalesce(Subquery(counted), 0))

    def links(self, request: HttpRequest, row: Workspace) -> list[Link]:
        """Its members, artifacts and log; other apps' lists are reached by their own filters."""
        only = {"workspace": row.pk}
        return self.lists(
            request,
            ("Members", Membership, only),
            ("Invitations", Invitation, only),
            ("Artifacts", Artifact, only),
            ("Log", Event, only),
        )

    @admin.display(ordering="number")
    def members(self, workspace: Workspace) -> int:
        """How many people are in it."""
        return int(getattr(workspace, "number", 0))


@admin.register(Membership)
class MembershipAdmin(ReadOnly):
    """Who is in which workspace, and as what."""

    list_display = ("user", "workspace", "role", "joined_at")
    list_filter = ("role", InWorkspace)
    list_select_related = ("user", "workspace")
    search_fields = ("user__username", "workspace__name")
    ordering = ("-joined_at",)
    fields = ("user", "workspace", "role", "joined_at")


@admin.register(Invitation)
class InvitationAdmin(ReadOnly):
    """Whom owners invited, and who came. What is stored of the link is shown to nobody."""

    list_display = ("email", "workspace", "role", "invited_by", "expires_at", "accepted_by")
    list_filter = ("role", InWorkspace)
    list_select_related = ("workspace", "invited_by", "accepted_by")
    search_fields = ("email", "workspace__name")
    ordering = ("-made_at",)
    fields = (
        "email",
        "workspace",
        "role",
        "invited_by",
        "made_at",
        "expires_at",
        "accepted_at",
        "accepted_by",
    )
