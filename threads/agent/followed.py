"""What the agent has before it, as it is at this moment, last in each request: the artifacts it follows, and its leave.

The contents share a budget; an artifact that finds no room in it is listed, with a hint to read it. Everything that
others wrote in it is unable to fake a tag.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import DateField, Exists, OuterRef, QuerySet, Subquery
from django.utils import timezone

from artifacts.core.kinds.base import rendered_for_agent
from artifacts.core.notes import framed
from artifacts.models import Artifact, Proposal
from artifacts.prepared import Given, Prepared, given_id
from threads.core.limits import require_day
from threads.models import Day, Focus, Thread
from threads.turns.charging import day_of

TAG = "followed-artifacts"
SUGGESTS = (
    "You are in suggest mode: each edit of yours becomes a proposal, which a person accepts or rejects."
)

type Glance = tuple[str, bool, bool, int | None]


def _glance() -> QuerySet[Thread, Glance]:
    """A thread's mode, whether it follows anything and has proposals that wait, and its workspace's tokens of a day."""
    day = Day.objects.filter(workspace=OuterRef("workspace"), date=Given("day", DateField()))
    rows = Thread.objects.filter(pk=given_id("thread")).annotate(
        follows=Exists(Focus.objects.filter(thread=OuterRef("pk"))),
        waits=Exists(Proposal.objects.filter(thread=OuterRef("pk"), state=Proposal.State.OPEN)),
        tokens=Subquery(day.values("tokens")),
    )
    return rows.order_by().values_list("mode", "follows", "waits", "tokens")


GLANCE = Prepared(_glance)
UNREAD = "You follow these too, and there is no room here for what they say. Read one when you need it: read_artifact."


@dataclass(frozen=True, slots=True)
class Present:
    """What the agent has before it at one moment, if anything, and the tokens that its workspace has used that day."""

    text: str | None
    tokens: int

    def require_day(self, most: int | None) -> None:
        """Raises `LimitReached` if the workspace's day is used up, in which it may use `most` tokens."""
        require_day(most, self.tokens)


def present(thread_id: str) -> Present:
    """What a thread follows, its own open proposals, and its mode where that is `suggest`."""
    seen = GLANCE.first(thread=thread_id, day=day_of(timezone.now()))
    mode, follows, waits, tokens = seen or (Thread.Mode.EDIT, False, False, None)
    shown = [
        *([SUGGESTS] if mode == Thread.Mode.SUGGEST else []),
        *(_artifacts(thread_id) if follows else []),
        *(_proposals(thread_id) if waits else []),
    ]
    return Present(f"<{TAG}>\n{'\n'.join(shown)}\n</{TAG}>" if shown else None, tokens or 0)


def content(artifact: Artifact) -> str:
    """An artifact's content for the agent."""
    return rendered_for_agent(artifact.kind, artifact.data)


def _artifacts(thread_id: str) -> list[str]:
    """Each whole while the budget lasts, what people chose and what was followed last before the rest."""
    followed = Focus.objects.filter(thread_id=thread_id, artifact__archived_at=None).select_related(
        "artifact"
    )
    left = settings.ARTIFACTR_FOCUS_CHARACTERS
    whole: list[str] = []
    listed: list[str] = []
    for artifact in (focus.artifact for focus in followed.order_by("-chosen", "-seq")):
        shown = framed(content(artifact))
        if len(shown) <= left:
            left -= len(shown)
            whole.append(f"{_head(artifact)}>\n{shown}\n</artifact>")
        else:
            listed.append(f'{_head(artifact)} characters="{len(shown)}"/>')
    # What matters most stands last.
    return [*whole[::-1], *([UNREAD, *listed[::-1]] if listed else [])]


def _head(artifact: Artifact) -> str:
    return (
        f'<artifact id="{artifact.pk}" kind="{artifact.kind}" version="{artifact.version}" '
        f'title="{_quotable(artifact.title)}"'
    )


def _proposals(thread_id: str) -> list[str]:
    waiting = Proposal.objects.filter(thread=thread_id, state=Proposal.State.OPEN).select_related("artifact")
    return [_proposal(proposal) for proposal in waiting.order_by("seq")]


def _proposal(proposal: Proposal) -> str:
    head = f'<proposal id="{proposal.pk}" artifact="{proposal.artifact_id}" base="{proposal.base}">'
    waits = f"Your proposal for “{framed(proposal.artifact.title)}” waits for a decision"
    return f"{head}{waits}{f': {framed(proposal.summary)}' if proposal.summary else ''}.</proposal>"


def _quotable(title: str) -> str:
    return framed(title).replace('"', "'")
