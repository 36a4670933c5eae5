"""Accounts, as Django's admin has them, and what follows when one is closed.

Deactivating closes the person's sockets and ends what runs for them. Anonymising does that too, and takes their name
from all that says who did something; it is a deed of its own, with a page that explains it.
"""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from artifacts.admin.deeds import AboutRow, Deed, Doing
from artifacts.admin.reading import Link
from artifacts.core.rejections import Invalid
from artifacts.members import actor_of
from artifacts.models import Membership
from artifacts.web.sockets import reconsider_sockets
from threads.models import Run
from threads.turns.anonymising import ANONYMISE, anonymise, leaving
from threads.turns.dismissing import dismiss

admin.site.unregister(User)


class AnonymiseForm(AboutRow):
    """The username, to be sure that this person is meant."""

    username = forms.CharField(label="Username", max_length=150)


def _anonymise(staff: User, row: User, fields: dict[str, Any]) -> None:
    if fields["username"].strip() != row.get_username():
        raise Invalid(
            {"username": "Is not the username of this account. Write it exactly as it stands above."}
        )
    anonymise(staff, row.pk)
    transaction.on_commit(reconsider_sockets, robust=True)


def _explain(row: User) -> list[str]:
    means = leaving(row)
    said = [
        (
            f"The account “{row.get_username()}” is closed for good: nobody can sign in with it, its pages close, and"
            " what agents do for it ends."
        ),
        (
            "The name and the address are taken from the account, from members, versions, proposals, decisions and the"
            " log. What the person wrote stays, in documents, messages and what agents were told; it may name them."
        ),
    ]
    if means.left:
        said.append(f"The person leaves {_names(means.left)}.")
    if means.deleted:
        said.append(
            f"Nobody else is in {_names(means.deleted)}: deleted with everything in it, since nobody could enter it."
        )
    if means.owned:
        said.append(
            f"It cannot be done yet: the person is the only owner of {_names(means.owned)}. Make somebody else an owner"
            " there first."
        )
    return [*said, "This cannot be undone. Write the username, to be sure that it is this person."]


def _names(workspaces: list[Any]) -> str:
    return ", ".join(f"“{workspace.name}”" for workspace in workspaces)


@admin.register(User)
class AccountAdmin(Doing, UserAdmin):  # type: ignore[type-arg]  # takes no type parameters while it runs
    """Django's own accounts."""

    deeds = (
        Deed(
            "anonymity",
            "Anonymise",
            ANONYMISE,
            _anonymise,
            _explain,
            "anonymised",
            AnonymiseForm,
            is_destructive=True,
        ),
    )
    actions = ()
    list_display = ("username", "email", "first_name", "last_name", "is_active", "is_staff")
    has_add_permission = UserAdmin.has_add_permission
    has_change_permission = UserAdmin.has_change_permission
    has_delete_permission = UserAdmin.has_delete_permission

    def links(self, request: HttpRequest, row: User) -> list[Link]:
        """Where they are a member, and what ran for them."""
        lists = self.lists(
            request, ("Members", Membership, {"user": row.pk}), ("Runs", Run, {"user": row.pk})
        )
        return [*super().links(request, row), *lists]

    def change_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """The page of one account; posted to, the change and what follows from it are one transaction."""
        with transaction.atomic():
            return super().change_view(request, *args, **options)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        """Save it; who is no longer active is dismissed."""
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data and not obj.is_active:
            ended = dismiss(actor_of(cast(User, request.user)), obj)
            transaction.on_commit(reconsider_sockets, robust=True)
            self.message_user(
                request,
                f"{obj} is deactivated: their pages close, and {ended} run{'' if ended == 1 else 's'} ended.",
                messages.WARNING,
            )
