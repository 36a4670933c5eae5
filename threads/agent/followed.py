"""What the agent has before it, as it is at this moment, last in each request: the artifacts it follows, and its leave.

The contents share a budget; an artifact that finds no room in it is listed, with a hint to read it. Everything that
others wrote in it is unable to fake a tag.
"""

from django.conf import settings

from artifacts.core.kinds.base import rendered_for_agent
from artifacts.core.notes import framed
from artifacts.models import Artifact, Proposal
from threads.models import Focus, Thread

TAG = "followed-artifacts"
SUGGESTS = (
    "You are in suggest mode: each edit of yours becomes a proposal, which a person accepts or rejects."
)

UNREAD = "You follow these too, and there is no room here for what they say. Read one when you need it: read_artifact."


def followed_artifacts(thread_id: str) -> str | None:
    """What a thread follows, its own open proposals, and its mode where that is `suggest`. None if there is nothing."""
    followed = Focus.objects.filter(thread_id=thread_id, artifact__archived_at=None)
    waiting = Proposal.objects.filter(thread=thread_id, state=Proposal.State.OPEN).select_related("artifact")
    suggests = Thread.objects.filter(pk=thread_id, mode=Thread.Mode.SUGGEST).exists()
    shown = [
        *([SUGGESTS] if suggests else []),
        *_artifacts(
            [focus.artifact for focus in followed.select_related("artifact").order_by("-chosen", "-seq")]
        ),
        *(_proposal(proposal) for proposal in waiting.order_by("seq")),
    ]
    return f"<{TAG}>\n{'\n'.join(shown)}\n</{TAG}>" if shown else None


def content(artifact: Artifact) -> str:
    """An artifact's content for the agent."""
    return rendered_for_agent(artifact.kind, artifact.data)


def _artifacts(followed: list[Artifact]) -> list[str]:
    """Each whole while the budget lasts, what people chose and what was followed last before the rest."""
    left = settings.ARTIFACTR_FOCUS_CHARACTERS
    whole: list[str] = []
    listed: list[str] = []
    for artifact in followed:
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


def _proposal(proposal: Proposal) -> str:
    head = f'<proposal id="{proposal.pk}" artifact="{proposal.artifact_id}" base="{proposal.base}">'
    waits = f"Your proposal for “{framed(proposal.artifact.title)}” waits for a decision"
    return f"{head}{waits}{f': {framed(proposal.summary)}' if proposal.summary else ''}.</proposal>"


def _quotable(title: str) -> str:
    return framed(title).replace('"', "'")
