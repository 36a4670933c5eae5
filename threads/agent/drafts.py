"""What a tool of an application says as it writes an artifact, so that people can read along."""

from dataclasses import dataclass
from typing import Any

from pydantic_ai.messages import CustomEvent


@dataclass(kw_only=True)
class ArtifactDraft(CustomEvent):
    """An artifact as far as a tool has written it: `await ctx.emit(ArtifactDraft(kind="document", snapshot={...}))`.

    `snapshot` is all of its data so far, `artifact_id` the artifact that it is to change, if it is no new one. It is
    shown at once and stored now and then, and when the turn ends. What the tool then commits with
    `ctx.deps.handle(ctx.tool_call_id)` takes its place.
    """

    kind: str
    snapshot: dict[str, Any]
    artifact_id: str | None = None
