"""The page on which a request is read and, while it is open, decided."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.utils.safestring import SafeString

from artifacts.admin.reading import Link
from artifacts.admin.rendered import compared, rendered
from artifacts.admin.verbatim import verbatim
from artifacts.models import Artifact
from threads.admin.requests.conversation import Said, after, before
from threads.admin.requests.effects import Effect, effect_of
from threads.admin.requests.preview import ago
from threads.admin.whereabouts import page_of, row_of
from threads.core import decisions
from threads.core.arguments import checked_arguments, faults
from threads.models import Request
from threads.web.arguments import Argument, argument_fields, edited_arguments
from threads.web.forms import VERSION, form_for


@dataclass(frozen=True, slots=True)
class Named:
    """An artifact that the request names, as it is now: what a decision is about. `asked` is its version back then."""

    id: str
    title: str
    version: int
    asked: int
    content: SafeString

    @property
    def field(self) -> str:
        """The name of the hidden field with its version."""
        return f"{VERSION}{self.id}"


@dataclass(frozen=True, slots=True)
class Review:
    """What the page shows to one person, with what they had typed into it.

    `tried` are the arguments that they want to see the effect of, before they approve them.
    """

    user: User
    request: Request
    typed: Mapping[str, str] = field(default_factory=dict)
    tried: Mapping[str, Any] | None = None

    @property
    def is_open(self) -> bool:
        """Whether nobody has decided it yet."""
        return self.request.state == decisions.OPEN

    @property
    def may_decide(self) -> bool:
        """Whether to offer the form. `answer` decides."""
        return form_for(self.user, self.request).may_decide

    @property
    def title(self) -> str:
        """What is asked, in a few words."""
        return "Question" if self.request.question else f"Approval of {self.request.tool}"

    @property
    def ago(self) -> str:
        """How long ago it was asked."""
        return ago(self.request.asked_at)

    @property
    def arguments(self) -> Iterator[tuple[str, SafeString]]:
        """Every argument of the call, whole."""
        return ((name, verbatim(value)) for name, value in self.request.arguments.items())

    @property
    def fields(self) -> list[Argument]:
        """The arguments as fields, with what was typed into them."""
        return argument_fields(self.request, self.typed)

    @property
    def is_edited(self) -> bool:
        """Whether somebody changed an argument, and was refused."""
        return any(argument.value != argument.original for argument in self.fields)

    @property
    def edited(self) -> Mapping[str, Any] | None:
        """The arguments that it was approved with, if somebody changed them; or those that are tried."""
        decided: Mapping[str, Any] | None = (self.request.answer or {}).get("arguments")
        return self.tried if decided is None else decided

    @property
    def change(self) -> SafeString:
        """How those differ from what the model gave."""
        return (
            SafeString("") if self.edited is None else compared("", self.request.arguments, dict(self.edited))
        )

    @property
    def effect(self) -> Effect | None:
        """What the call would make of an artifact, while it is open."""
        if not self.is_open or self.request.question:
            return None
        return effect_of(self.request, self.request.arguments if self.edited is None else self.edited)

    @property
    def faults(self) -> list[tuple[str, str]]:
        """In what the arguments do not fit what the tool takes, so that it would refuse them as they are."""
        if not self.is_open or self.request.question or not self.request.schema:
            return []
        return list(faults(self.request.arguments, self.request.schema).items())

    @property
    def who_may(self) -> str:
        """Who decides, for somebody who may not."""
        if self.request.permission:
            return f"Only a reviewer who has the permission {self.request.permission} may decide this."
        if self.request.question:
            return "An editor of this workspace may answer this, or a reviewer who may answer questions."
        return "Only a reviewer may decide this."

    @property
    def links(self) -> list[Link]:
        """Where to read on."""
        thread = self.request.thread
        return [*page_of(self.user, thread), *row_of(self.user, thread)]

    @property
    def conversation(self) -> list[Said]:
        """What was said before."""
        return before(self.request)

    @property
    def conversation_since(self) -> list[Said]:
        """What was said since, of a request that is settled."""
        return [] if self.is_open else after(self.request)

    @property
    def said(self) -> str:
        """The answer to a question, or the reason of a refusal."""
        return str((self.request.answer or {}).get("text") or "")

    @property
    def unsent(self) -> str:
        """What was typed into a form that is no longer there."""
        return "" if self.may_decide else self.typed.get("reason") or self.typed.get("text") or ""

    def named(self) -> list[Named]:
        """The artifacts that are named, each with the version and the content of one moment."""
        asked = {item["id"]: item["version"] for item in self.request.artifacts}
        rows = Artifact.objects.filter(pk__in=asked)
        return [
            Named(str(row.pk), row.title, row.version, asked[str(row.pk)], rendered(row.kind, row.data))
            for row in rows
        ]


def changed_by(request: Request, posted: Mapping[str, str]) -> dict[str, Any] | None:
    """The arguments as somebody changed them, if the tool takes them. Raises `Invalid` or `TooLarge`."""
    edited = edited_arguments(request, posted)
    return None if edited is None else checked_arguments(edited, request.schema)
