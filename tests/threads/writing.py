"""A tool of an application that writes an artifact before people's eyes, and then commits it, or breaks."""

from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.toolsets import FunctionToolset

from artifacts.core.commands import CreateArtifact
from artifacts.database import in_database
from tests.kit import Gate
from threads.agent.drafts import ArtifactDraft
from threads.agent.session import Session

TOOLS = "tests.threads.writing.tools"

tools: FunctionToolset[Session] = FunctionToolset()
gates: list[Gate] = []


@tools.tool
async def write(
    ctx: RunContext[Session], then: str, artifact: str | None = None, kind: str = "document"
) -> str:
    """Write a document in two steps."""
    data: dict[str, Any] = {"title": "Tea", "text": ""}
    for text in ("Green", "Green tea \x00 <b>"):
        data = {**data, "text": text}
        await ctx.emit(ArtifactDraft(kind=kind, snapshot=data, artifact_id=artifact))
    if gates:
        await gates[0].pass_through()
    match then:
        case "commit":
            await in_database(
                ctx.deps.handle(ctx.tool_call_id).commit, CreateArtifact("document", {"title": "Tea"})
            )
        case "break":
            raise RuntimeError("the tool breaks")
    return "written"
