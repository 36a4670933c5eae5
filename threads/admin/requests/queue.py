"""The queue: what waits, oldest first, and the two ways to decide it, singly on its page and in bulk."""

from typing import Any, cast

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.models import User
from django.core.exceptions import BadRequest, PermissionDenied, ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from artifacts.admin.reading import ReadOnly
from artifacts.core.rejections import Rejection
from artifacts.web.errors import status_of
from threads.admin.requests import bulk
from threads.admin.requests.deciding import decide_one, sentence, verdict
from threads.admin.requests.filters import InState, OfTool, RequestInWorkspace, Waiting
from threads.admin.requests.preview import ago, beginnings, cut, preview
from threads.admin.requests.review import Review, changed_by
from threads.admin.requests.shown import as_cell, heads
from threads.core import decisions
from threads.models import Request
from threads.turns.deciders import ANSWER, DECIDE, reviewable_by
from threads.web.forms import decision_of

PREVIEW = "preview"


class Queue(ChangeList):
    """A page of requests, with the artifacts that they name."""

    def get_results(self, request: HttpRequest) -> None:
        """Read which requests are on the page, then those alone with the beginning of what they ask, then their
        artifacts at once: so that a late page costs what the first one does."""
        super().get_results(request)
        ids = list(self.result_list.values_list("pk", flat=True))
        place = {pk: number for number, pk in enumerate(ids)}
        shown = Request.objects.filter(pk__in=ids).select_related("thread__workspace", "run__user")
        rows = sorted(beginnings(shown), key=lambda row: place[row.pk])
        now = heads(rows)
        for row in rows:
            row.versions = as_cell(row, now)  # type: ignore[attr-defined]  # for the column
        self.result_list = rows


@admin.register(Request)
class RequestAdmin(ReadOnly):
    """What paused runs wait for. Rows change by `threads.turns.answer` alone."""

    list_display = ("what", "asks", "waits", "acts_for", "where", "state")
    list_filter = (InState, "kind", OfTool, RequestInWorkspace, Waiting)
    list_select_related = ("thread__workspace", "run__user")
    search_fields = (
        "=id",
        "tool",
        "question",
        "thread__title",
        "thread__workspace__name",
        "run__user__username",
    )
    search_help_text = "A tool, a question, a thread, a workspace, or a username."
    ordering = ("asked_at", "id")
    actions = ("approve_selected", "decline_selected")
    object_history_template = "admin/artifacts/history.html"

    class Media:
        js = ["js/admin/fresh.js"]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Staff who may view requests, and reviewers."""
        may_view = super().has_view_permission(request, obj)
        return may_view or request.user.has_perm(DECIDE) or request.user.has_perm(ANSWER)

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Whether to offer decisions in bulk. `answer` decides."""
        return request.user.has_perm(DECIDE)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """The list that reads all artifacts of a page at once."""
        return Queue

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """What is open is all in one state, which need not be said of each."""
        is_open = request.GET.get(InState.parameter_name, decisions.OPEN) == decisions.OPEN
        return self.list_display[:-1] if is_open else self.list_display

    def get_queryset(self, request: HttpRequest) -> QuerySet[Request]:
        """With where they are and whom they are for: all of them, or to a reviewer those that they may decide."""
        user = cast(User, request.user)
        may_view = user.has_perm("threads.view_request")
        rows = super().get_queryset(request) if may_view else reviewable_by(user).order_by(*self.ordering)
        found: QuerySet[Request] = rows.select_related("thread__workspace", "run__user")
        return found

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *place: Any, **more: Any
    ) -> HttpResponse | None:
        """Decide in bulk. What is ticked is an id, or the form is none of ours."""
        try:
            return super().response_action(request, queryset, *place, **more)
        except ValidationError:
            raise BadRequest("Ticked is what is no id of a request.") from None

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The review page; posted to, the decision."""
        asked = self.get_object(request, unquote(object_id))
        if not self.has_view_permission(request, asked):
            raise PermissionDenied
        if asked is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined,no-any-return]  # Django's own words for it
        user = cast(User, request.user)
        if request.method == "POST":
            return self._decide(request, user, asked)
        return self._page(request, Review(user, asked))

    def _decide(self, request: HttpRequest, user: User, asked: Request) -> HttpResponse:
        posted = {name: str(value).replace("\r\n", "\n") for name, value in request.POST.items()}
        try:
            if posted.get("decision") == PREVIEW and asked.kind == decisions.APPROVAL:
                return self._page(request, Review(user, asked, posted, changed_by(asked, posted)))
            done = decide_one(request, self, user, asked, decision_of(asked, posted))
        except Rejection as rejection:
            self.message_user(request, sentence(rejection), messages.ERROR)
            anew = self.get_queryset(request).get(pk=asked.pk)
            return self._page(request, Review(user, anew, posted), status_of(rejection))
        state = decisions.APPROVED if posted.get("decision") == "approve" else decisions.DECLINED
        self.message_user(request, verdict(asked, done, state), messages.SUCCESS)
        return self.response_post_save_change(request, asked)

    def _page(self, request: HttpRequest, review: Review, status: int = 200) -> HttpResponse:
        context = {
            **self.admin_site.each_context(request),
            "title": review.title,
            "subtitle": None,
            "original": review.request,
            "opts": self.opts,
            "media": self.media,
            "has_view_permission": True,
            "review": review,
        }
        request.current_app = self.admin_site.name
        return TemplateResponse(request, "admin/threads/request/review.html", context, status=status)

    @admin.action(permissions=("decide",), description="Approve selected")
    def approve_selected(self, request: HttpRequest, queryset: QuerySet[Request]) -> HttpResponse | None:
        """Approve what is ticked, in the versions that the list showed."""
        return bulk.decide(self, request, "approve_selected", self.get_queryset(request))

    @admin.action(permissions=("decide",), description="Decline selected")
    def decline_selected(self, request: HttpRequest, queryset: QuerySet[Request]) -> HttpResponse | None:
        """Decline what is ticked, all for one reason."""
        return bulk.decide(self, request, "decline_selected", self.get_queryset(request))

    @admin.display(description="request", ordering="tool")
    def what(self, asked: Request) -> str:
        """The tool that wants leave, or that it is a question."""
        return "question" if asked.kind == decisions.QUESTION else asked.tool

    @admin.display
    def asks(self, asked: Request) -> SafeString:
        """What is asked, on one line, and the artifacts that it names, as they are now."""
        return format_html("{}{}", preview(asked), asked.versions)  # type: ignore[attr-defined]  # the Queue's

    @admin.display(description="asked", ordering="asked_at")
    def waits(self, asked: Request) -> str:
        """How long ago it was asked."""
        return ago(asked.asked_at)

    @admin.display(description="in", ordering="thread__workspace__name")
    def where(self, asked: Request) -> SafeString:
        """Its thread, and the workspace of that."""
        return format_html("{}<br>{}", cut(str(asked.thread)), asked.thread.workspace)

    @admin.display(description="for", ordering="run__user__username")
    def acts_for(self, asked: Request) -> str:
        """The person for whom the run acts."""
        return str(asked.run.user) if asked.run.user else "a deleted account"
