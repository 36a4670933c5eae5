"""The forms of requests: what a viewer may fill in, and the decision that it becomes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.template.loader import render_to_string

from artifacts.core.rejections import Invalid
from artifacts.models import Artifact
from threads.core import decisions
from threads.core.decisions import Answer, Approve, Decision, Decline, shown_versions
from threads.models import Request
from threads.turns.deciders import may_decide
from threads.web.arguments import Argument, argument_fields, edited_arguments

VERSION = "version-"
"""The fields that carry the versions which the form showed begin with this."""


@dataclass(slots=True)
class RequestForm:
    """The form of one request for one viewer, with what they had typed and why it was refused."""

    request: Request
    may_decide: bool
    typed: Mapping[str, str] = field(default_factory=dict)
    error: str = ""

    @property
    def artifacts(self) -> list[dict[str, Any]]:
        """What the decision is about, in the versions that there are now: these are what the form shows."""
        asked = {item["id"]: item["version"] for item in self.request.artifacts}
        rows = Artifact.objects.filter(pk__in=asked)
        return [
            {
                "id": row.pk,
                "title": row.title,
                "version": row.version,
                "newer": row.version != asked[str(row.pk)],
            }
            for row in rows
        ]

    @property
    def arguments(self) -> list[Argument]:
        """The arguments of the call, to be changed before it is approved."""
        return argument_fields(self.request, self.typed)

    @property
    def is_edited(self) -> bool:
        """Whether somebody changed an argument in a form that was refused."""
        return any(argument.value != argument.original for argument in self.arguments)


def form_for(user: User, request: Request) -> RequestForm:
    """The form that this person gets for a request."""
    allowed = may_decide(user, request, str(request.thread.workspace_id))
    return RequestForm(request, allowed and request.state == decisions.OPEN)


def drawn(http: HttpRequest, form: RequestForm) -> str:
    """The form as HTML, with the viewer's token."""
    return render_to_string(
        "threads/_request_form.html", {"form": form, "request_row": form.request}, request=http
    )


def decision_of(request: Request, posted: Mapping[str, str]) -> Decision:
    """What was posted, as a decision. Raises `Invalid` where it is none."""
    if request.kind == decisions.QUESTION:
        return Answer(posted.get("text", "").strip() or posted.get("choice", ""))
    match posted.get("decision"):
        case "approve":
            return Approve(shown_versions(_shown(posted)), edited_arguments(request, posted))
        case "decline":
            return Decline(posted.get("reason", "").strip())
        case _:
            raise Invalid({"decision": "Approve it or decline it."})


def _shown(posted: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((name.removeprefix(VERSION), value) for name, value in posted.items() if name.startswith(VERSION))
