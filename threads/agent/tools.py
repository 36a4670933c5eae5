"""The generic tools. Their definitions never change between requests, so that prompt caches stay warm."""

from collections.abc import Awaitable
from typing import Any

from pydantic_ai import CallDeferred, ModelRetry, RunContext
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.toolsets import FunctionToolset

from artifacts.core.commands import (
    ArchiveArtifact,
    Asked,
    CreateArtifact,
    EditArtifact,
    ProposeChange,
    PublishArtifact,
)
from artifacts.core.notes import framed
from artifacts.core.outcomes import Proposed
from artifacts.core.patches import Passage
from artifacts.core.rejections import Rejection, VersionConflict
from artifacts.database import AWAY, in_database, persistently
from threads.agent.followed import content
from threads.agent.session import Session
from threads.core.history import INTERRUPTED
from threads.turns.reading import follow_and_read

LIST_LIMIT = 200

toolset: FunctionToolset[Session] = FunctionToolset()


@toolset.tool
async def list_artifacts(ctx: RunContext[Session]) -> list[dict[str, Any]]:
    """List the workspace's artifacts: id, kind, title, version, and who changed each last."""
    return await persistently(_listed, ctx.deps)


@toolset.tool
async def read_artifact(ctx: RunContext[Session], artifact: str) -> dict[str, Any]:
    """Read an artifact whole, and follow it from now on: you are told what others change in it.

    Args:
        artifact: The artifact's id.
    """
    return await _carried_out(ctx, persistently(_read, ctx.deps, artifact))


@toolset.tool
async def create_artifact(ctx: RunContext[Session], kind: str, data: dict[str, Any]) -> str:
    """Create an artifact in the workspace, for everyone to read and edit.

    Args:
        kind: `document` (data: title, and text in Markdown) or `plan` (data: goal, and tasks with id, name, status).
        data: The artifact's fields.
    """
    applied = await _commit(ctx, CreateArtifact(kind, data))
    return f"Created “{applied.title}”, version {applied.version}, with the id {applied.artifact}."


@toolset.tool
async def edit_text(
    ctx: RunContext[Session],
    artifact: str,
    old: str,
    new: str,
    summary: str = "",
    propose: bool = False,  # noqa: FBT001 (the model gives arguments by name)
) -> str:
    """Replace a passage that occurs exactly once in the current version of a document.

    Args:
        artifact: The document's id.
        old: The passage, quoted exactly, with enough around it to be unique.
        new: What stands there instead; empty to remove it.
        summary: A few words about why.
        propose: Only propose it: nothing changes until a person accepts it. In suggest mode every edit is a proposal.
    """
    base = (await _carried_out(ctx, persistently(ctx.deps.handle().get, artifact))).version
    asked = ProposeChange if propose else EditArtifact
    outcome = await _commit(ctx, asked(artifact, base, Passage(old, new), summary))
    if isinstance(outcome, Proposed):
        return f"Proposed for “{outcome.title}”, not changed yet: a person decides. The proposal is {outcome.proposal}."
    return f"Edited “{outcome.title}”, now version {outcome.version}."


@toolset.tool
async def archive_artifact(ctx: RunContext[Session], artifact: str) -> str:
    """Take an artifact out of the workspace's lists. Its history stays.

    Args:
        artifact: The artifact's id.
    """
    applied = await _commit(ctx, ArchiveArtifact(artifact))
    return f"Archived “{applied.title}”."


@toolset.tool(requires_approval=True)
async def publish_artifact(ctx: RunContext[Session], artifact: str, version: int) -> str:
    """Make one version of an artifact a public page that anyone with the link can read. A reviewer has to approve.

    Args:
        artifact: The artifact's id.
        version: The version to publish, normally the current one.
    """
    applied = await _commit(ctx, PublishArtifact(artifact, version))
    return f"Published “{applied.title}”, version {applied.version}: [its page](/published/{applied.publication}/)."


@toolset.tool
async def ask_user(ctx: RunContext[Session], question: str, choices: list[str] | None = None) -> str:
    """Ask the people in the thread something, and wait until somebody answers.

    Args:
        question: One clear question.
        choices: The answers to choose from, if they are few; an answer in other words is possible too.
    """
    raise CallDeferred(kind="question")


def _listed(session: Session) -> list[dict[str, Any]]:
    return [
        {
            "id": str(row.pk),
            "kind": row.kind,
            "title": row.title,
            "version": row.version,
            "changed_by": row.changed_by,
        }
        for row in session.handle().list()[:LIST_LIMIT]
    ]


def _read(session: Session, artifact_id: str) -> dict[str, Any]:
    artifact, followed = follow_and_read(session.turn, session.handle(), artifact_id)
    return {
        "id": str(artifact.pk),
        "kind": artifact.kind,
        "title": artifact.title,
        "version": artifact.version,
        "archived": artifact.archived_at is not None,
        "followed": followed,
        "content": framed(content(artifact)),
    }


async def _commit[T](ctx: RunContext[Session], command: Asked[T]) -> T:
    """Commit once. Where the database's answer is lost nobody knows whether it did: the model is told so."""
    try:
        return await _carried_out(ctx, in_database(ctx.deps.handle(ctx.tool_call_id).commit, command))
    except AWAY as error:
        raise ToolFailed(INTERRUPTED) from error


async def _carried_out[T](ctx: RunContext[Session], unit: Awaitable[T]) -> T:
    """Run a unit of work; a rejection is told to the model, as a retry or, on its last attempt, as a failure.

    A failure counts no retry, so that a stubborn model does not kill its run.
    """
    try:
        return await unit
    except Rejection as rejection:
        advice = " Read it again first." if isinstance(rejection, VersionConflict) else ""
        message = f"{rejection.message}{advice}"
        raise (ToolFailed(message) if ctx.last_attempt else ModelRetry(message)) from rejection
