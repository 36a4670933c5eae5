"""Workspaces: who is in them, how they are governed, and their end. Each deed is a command of `artifacts`."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from artifacts import log, members
from artifacts.admin.deeds import AboutRow, Deed, Doing
from artifacts.admin.narrowing import InWorkspace
from artifacts.admin.reading import Link, ReadOnly
from artifacts.core import events
from artifacts.core.rules import EDITOR
from artifacts.governing import ERASE, TOKENS_LIMIT, Governance, erase, govern
from artifacts.members import GOVERN
from artifacts.models import Artifact, Event, Invitation, Membership, Workspace
from artifacts.web.sockets import reconsider_sockets


class GovernanceForm(AboutRow):
    """How a workspace is governed."""

    default_mode = forms.ChoiceField(
        label="What agents may do in new threads",
        choices=[(Workspace.Mode.EDIT, "Edit"), (Workspace.Mode.SUGGEST, "Only suggest")],
    )
    tokens_a_day = forms.IntegerField(
        label="Tokens a day",
        required=False,
        min_value=0,
        max_value=TOKENS_LIMIT,
        help_text="What its agents may use in a day (UTC). Empty: what the installation allows. 0: nothing.",
    )
    editors_decide = forms.BooleanField(
        label="Its own editors may decide approvals too",
        required=False,
        help_text="Else reviewers alone may, who have the permission to decide approvals.",
    )

    def of(self, row: Workspace) -> dict[str, Any]:
        """As it is governed now."""
        return {name: getattr(row, name) for name in self.base_fields}


class NewMemberForm(AboutRow):
    """Who is to be a member, and as what."""

    username = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(label="Role", choices=Membership.Role.choices, initial=EDITOR)


class RoleForm(AboutRow):
    """A member's role."""

    role = forms.ChoiceField(label="Role", choices=Membership.Role.choices)

    def of(self, row: Membership) -> dict[str, Any]:
        """The role now."""
        return {"role": row.role}


class EraseForm(AboutRow):
    """The name of the workspace, to be sure that this one is meant."""

    name = forms.CharField(label="Name of the workspace", strip=False)


def _govern(staff: User, row: Workspace, fields: dict[str, Any]) -> int:
    return govern(staff, str(row.pk), Governance(**fields))


def _add(staff: User, row: Workspace, fields: dict[str, Any]) -> int:
    members.add_by_name(staff, str(row.pk), fields["username"], fields["role"])
    return log.last(str(row.pk), 1, types=[events.MEMBER_JOINED]).events[0].seq


def _erase(staff: User, row: Workspace, fields: dict[str, Any]) -> None:
    erase(staff, str(row.pk), fields["name"])
    transaction.on_commit(reconsider_sockets, robust=True)


def _give(staff: User, row: Membership, fields: dict[str, Any]) -> int:
    return members.change_role(staff, str(row.workspace_id), row.user_id, fields["role"])


def _remove(staff: User, row: Membership, fields: dict[str, Any]) -> int:
    return members.remove_member(staff, str(row.workspace_id), row.user)


def _explain_erasing(row: Workspace) -> list[str]:
    counts = (
        (row.memberships.count(), "members"),
        (row.artifacts.count(), "artifacts"),
        (row.threads.count(), "threads"),
        (row.head, "events in the log"),
    )
    return [
        f"“{row.name}” is deleted with everything in it: {', '.join(f'{n:,} {what}' for n, what in counts)}.",
        (
            "What agents are doing in it ends at once, what waits for a decision goes, and its public pages are no"
            " longer found. Its members keep their accounts, and lose what they wrote here."
        ),
        "This cannot be undone. Write the name of the workspace, to be sure that it is this one.",
    ]


@admin.register(Workspace)
class WorkspaceAdmin(Doing):
    """What teams share."""

    deeds = (
        Deed(
            "governance",
            "Govern",
            GOVERN,
            _govern,
            lambda row: [
                f"How “{row.name}” is governed from now on. Threads that there are keep their mode."
            ],
            "governed anew",
            GovernanceForm,
        ),
        Deed(
            "membership",
            "Add a member",
            GOVERN,
            _add,
            lambda row: [f"Somebody who has an account becomes a member of “{row.name}”, at once."],
            "a member was added",
            NewMemberForm,
        ),
        Deed(
            "end",
            "Delete with all that is in it",
            ERASE,
            _erase,
            _explain_erasing,
            "deleted with all that was in it",
            EraseForm,
            is_gone=True,
            is_destructive=True,
        ),
    )
    list_display = ("name", "members", "default_mode", "limit", "editors_decide", "head", "created_at")
    search_fields = ("name",)
    ordering = ("name",)
    fields = (
        "id",
        "name",
        "default_mode",
        "limit",
        "editors_decide",
        "head",
        "created_at",
        "members",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Workspace]:
        """Workspaces with the number of their members, counted for those that are shown."""
        members = Membership.objects.filter(workspace=OuterRef("pk")).order_by().values("workspace")
        counted = members.annotate(number=Count("pk")).values("number")
        rows: QuerySet[Workspace] = super().get_queryset(request)
        return rows.annotate(number=Coalesce(Subquery(counted), 0))

    def links(self, request: HttpRequest, row: Workspace) -> list[Link]:
        """Its members, artifacts and log; other apps' lists are reached by their own filters."""
        only = {"workspace": row.pk}
        lists = self.lists(
            request,
            ("Members", Membership, only),
            ("Invitations", Invitation, only),
            ("Artifacts", Artifact, only),
            ("Log", Event, only),
        )
        return [*super().links(request, row), *lists]

    @admin.display(ordering="number")
    def members(self, workspace: Workspace) -> int:
        """How many people are in it."""
        return int(getattr(workspace, "number", 0))

    @admin.display(description="tokens a day", ordering="tokens_a_day")
    def limit(self, workspace: Workspace) -> str:
        """What its agents may use."""
        tokens = workspace.tokens_a_day
        return "as the installation allows" if tokens is None else f"{tokens:,}"


@admin.register(Membership)
class MembershipAdmin(Doing):
    """Who is in which workspace, and as what."""

    deeds = (
        Deed(
            "role",
            "Change the role",
            GOVERN,
            _give,
            lambda row: [f"{row.user} gets another role in “{row.workspace}”, at once."],
            "the role was changed",
            RoleForm,
        ),
        Deed(
            "removal",
            "Remove from the workspace",
            GOVERN,
            _remove,
            lambda row: [
                (
                    f"{row.user} is no longer a member of “{row.workspace}”. What they wrote stays there; their open"
                    " pages close, and what agents do for them there writes nothing more."
                )
            ],
            "removed from the workspace",
            is_gone=True,
            is_destructive=True,
        ),
    )
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
