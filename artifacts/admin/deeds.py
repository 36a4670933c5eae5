"""What staff do in this admin beyond reading: each deed is one command, confirmed on a page that explains it.

A row's page offers a deed to those who may do it; the command decides. In the transaction of the command Django's own
change history gets a line that names the `seq` in the log, so that either both are there or neither.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.contrib.admin.utils import unquote
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from artifacts.admin.reading import Link, ReadOnly
from artifacts.core.rejections import Rejection
from artifacts.web.errors import sentence, status_of

type Command = Callable[[User, Any, dict[str, Any]], int | None]


class AboutRow(forms.Form):
    """What a deed needs to know. It begins with what is known of the row."""

    def __init__(self, *args: Any, row: Any, **options: Any) -> None:
        options["initial"] = self.of(row)
        super().__init__(*args, **options)

    def of(self, row: Any) -> dict[str, Any]:
        """The fields' values now."""
        return {}


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that staff may do with a row.

    `name` is its place in the address, `label` its button. `explain` says in sentences what it means, for this row.
    `command` gets the person, the row and the form's fields; it returns the `seq` in the log, if there is one, or
    raises a `Rejection`. `offered` says whether the row is in a state for it. Afterwards one is on the row's page, or,
    where the row `is_gone`, on the list.
    """

    name: str
    label: str
    permission: str
    command: Command
    explain: Callable[[Any], Sequence[str]]
    done: str
    form: type[AboutRow] = AboutRow
    offered: Callable[[Any], bool] = lambda row: True
    is_gone: bool = False
    is_destructive: bool = False


class Doing(ReadOnly):
    """Rows to read, with deeds."""

    deeds: Sequence[Deed] = ()
    object_history_template = "admin/artifacts/history.html"

    def get_urls(self) -> list[URLPattern]:
        """Also a page for each deed."""
        address = path(
            "<path:object_id>/deeds/<slug:name>/",
            self.admin_site.admin_view(self.deed_view),
            name=f"{self.opts.app_label}_{self.opts.model_name}_deed",
        )
        return [address, *super().get_urls()]

    def links(self, request: HttpRequest, row: Any) -> list[Link]:
        """The deeds that this person may do with the row now, and what was done with it here."""
        base = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        deeds = [
            Link(deed.label, reverse(f"{base}_deed", args=[row.pk, deed.name]))
            for deed in self.deeds
            if self.may(request, deed) and deed.offered(row)
        ]
        return [*deeds, Link("History", reverse(f"{base}_history", args=[row.pk]))]

    def may(self, request: HttpRequest, deed: Deed) -> bool:
        """Whether to offer a deed. Its command decides."""
        return request.user.has_perm(deed.permission)

    def deed_view(self, request: HttpRequest, object_id: str, name: str) -> HttpResponse:
        """The page of one deed; posted to, the deed."""
        row = self.get_object(request, unquote(object_id))
        deed = next((deed for deed in self.deeds if deed.name == name), None)
        if row is None or deed is None:
            raise Http404
        if not self.has_view_permission(request, row) or not self.may(request, deed):
            raise PermissionDenied
        form = deed.form(request.POST if request.method == "POST" else None, row=row)
        if request.method != "POST" or not form.is_valid():
            return self._page(request, row, deed, form, 422 if form.is_bound else 200)
        try:
            self.carry_out(request, row, deed, form.cleaned_data)
        except Rejection as rejection:
            self.message_user(request, sentence(rejection), messages.ERROR)
            return self._page(request, row, deed, form, status_of(rejection))
        return HttpResponseRedirect(self._after(row, deed))

    def carry_out(self, request: HttpRequest, row: Model, deed: Deed, fields: dict[str, Any]) -> None:
        """The command and its line in the history, both or neither; then a word about it. Raises a `Rejection`."""
        with transaction.atomic():
            noted = str(row)
            seq = deed.command(cast(User, request.user), row, fields)
            self.note(request, row, deed, seq)
        self.message_user(request, f"{noted}: {deed.done}.", messages.SUCCESS)

    def note(self, request: HttpRequest, row: Model, deed: Deed, seq: int | None) -> None:
        """A line in Django's history, which its page links to the log."""
        LogEntry.objects.log_actions(
            user_id=cast(int, request.user.pk),
            queryset=[row],
            action_flag=DELETION if deed.is_gone else CHANGE,
            change_message=said_with_seq(deed.done, seq),
            single_object=True,
        )

    def _after(self, row: Model, deed: Deed) -> str:
        base = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        return reverse(f"{base}_changelist") if deed.is_gone else reverse(f"{base}_change", args=[row.pk])

    def _page(
        self, request: HttpRequest, row: Model, deed: Deed, form: forms.Form, status: int
    ) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": deed.label,
            "original": row,
            "opts": self.opts,
            "media": self.media + form.media,
            "deed": deed,
            "explained": deed.explain(row),
            "form": form,
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "admin/artifacts/deed.html", context, status=status)


def said_with_seq(done: str, seq: int | None) -> str:
    """What the history says of a deed."""
    return done if seq is None else f"{done} (event {seq} of the log)"
