"""Tools that ask by themselves, before they do anything."""

from typing import Any

from pydantic_ai import ApprovalRequired, CallDeferred, RunContext
from pydantic_ai.toolsets import FunctionToolset

TOOLS = "tests.threads.pausing.tools"

tools: FunctionToolset[Any] = FunctionToolset()
begun: list[str] = []
"""Every beginning of a body, and what came after its question."""


@tools.tool_plain
async def consult(subject: str) -> str:
    """Ask the people about something."""
    begun.append(f"consult {subject}")
    raise CallDeferred({"question": f"What about {subject}?", "choices": ["yes", "no"]})


@tools.tool_plain
async def weather(place: str) -> str:
    """Wait for what somebody finds out."""
    raise CallDeferred()


@tools.tool
async def demolish(ctx: RunContext[Any], house: str, floors: int = 1) -> str:
    """Take a house down, with leave for more than one floor."""
    begun.append(f"demolish {house}")
    if floors > 1 and not ctx.tool_call_approved:
        raise ApprovalRequired({"description": f"Takes {floors} floors down."})
    begun.append(f"took {floors} of {house}")
    return f"demolished {house}"


@tools.tool
async def twice(ctx: RunContext[Any], what: str) -> str:
    """Ask for leave, and then once more."""
    begun.append(f"twice {what}")
    if not ctx.tool_call_approved or begun.count(f"twice {what}") < 3:
        raise ApprovalRequired()
    return f"did {what}"
