"""What waits for the person who looks: `{% waiting_badge %}` in the site, `{% what_waits as waits %}` in the admin."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Min
from django.urls import reverse

from threads.core import decisions, status
from threads.models import Draft, Request, Run
from threads.turns.deciders import decidable_by
from threads.web.badge import badge

register = template.Library()


@dataclass(frozen=True, slots=True)
class Pile:
    """So many of something, and where they are listed."""

    what: str
    number: int
    address: str
    since: Any = None


@register.inclusion_tag("threads/_waiting.html", takes_context=True)
def waiting_badge(context: dict[str, Any]) -> dict[str, Any]:
    """How many requests wait for this person, and the way to them."""
    return badge(context["request"].user)


@register.simple_tag
def what_waits(user: User | AnonymousUser) -> list[Pile]:
    """What staff find on the admin's index, as far as they may see it."""
    if not isinstance(user, User):
        return []
    return [*_requests(user), *_drafts(user), *_runs(user)]


def _requests(user: User) -> list[Pile]:
    address = reverse("admin:threads_request_changelist")
    may_view = user.has_perm("threads.view_request")
    rows = Request.objects.filter(state=decisions.OPEN) if may_view else decidable_by(user)
    counted = rows.order_by().values("kind").annotate(number=Count("pk"), since=Min("asked_at"))
    names = {decisions.APPROVAL: "approvals wait", decisions.QUESTION: "questions wait"}
    return [
        Pile(names[row["kind"]], row["number"], f"{address}?kind__exact={row['kind']}", row["since"])
        for row in counted.order_by("kind")
    ]


def _drafts(user: User) -> list[Pile]:
    if not user.has_perm("threads.view_draft"):
        return []
    number = Draft.objects.filter(state=Draft.State.LEFT).count()
    address = f"{reverse('admin:threads_draft_changelist')}?state__exact={Draft.State.LEFT}"
    return [Pile("drafts were left", number, address)] if number else []


def _runs(user: User) -> list[Pile]:
    if not user.has_perm("threads.view_run"):
        return []
    number = Run.objects.filter(status__in=(status.RUNNING, status.READY)).count()
    address = f"{reverse('admin:threads_run_changelist')}?status__exact={status.RUNNING}"
    return [Pile("runs go on", number, address)] if number else []
