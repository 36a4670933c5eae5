"""The page on which a request is read and, while it is open, decided."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.utils.safestring import SafeString

from artifacts.admin.reading import Link
from artifacts.admin.verbatim import verbatim
from artifacts.core.rejections import Invalid
from artifacts.models import Artifact
from threads.admin.requests.conversation import Said, before
from threads.admin.requests.preview import ago
from threads.admin.whereabouts import page_of, row_of
from threads.core import decisions
from threads.models import Request
from threads.web.arguments import Argument, argument_fields
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
    """What the page shows to one person, with what they had typed into it."""

    user: User
    request: Request
    typed: Mapping[str, str] = field(default_factory=dict)

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
    def edited(self) -> Iterator[tuple[str, SafeString]]:
        """The arguments that it was approved with, if somebody changed them."""
        changed = (self.request.answer or {}).get("arguments") or {}
        return ((name, verbatim(value)) for name, value in changed.items())

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
        return [Named(str(row.pk), row.title, row.version, asked[str(row.pk)], _content(row)) for row in rows]


def _content(artifact: Artifact) -> SafeString:
    """The text of a kind that has one, else all data: of a kind that is no longer known, too."""
    try:
        text = artifact.text()
    except Invalid:
        text = None
    return verbatim(artifact.data if text is None else text)
