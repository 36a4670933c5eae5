"""What a pausing run asks, as requests that people can read and answer without the agent."""

from typing import Any

from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, RunContext, ToolDefinition

from threads.agent.history import jsonable
from threads.agent.session import Session
from threads.core import decisions
from threads.turns.ending import Asked


def asked(requests: DeferredToolRequests, ctx: RunContext[Session]) -> list[Asked]:
    """Questions and approvals in the order in which the model made the calls."""
    definitions = ctx.deps.tools
    questions = [_question(call) for call in requests.calls]
    return questions + [_approval(call, definitions.get(call.tool_name)) for call in requests.approvals]


def _question(call: ToolCallPart) -> Asked:
    arguments = _arguments(call)
    choices = [str(choice) for choice in arguments.get("choices") or ()]
    return Asked(decisions.QUESTION, call.tool_name, call.tool_call_id, arguments, choices=choices)


def _approval(call: ToolCallPart, definition: ToolDefinition | None) -> Asked:
    description = (definition and definition.description) or ""
    schema = definition.parameters_json_schema if definition else {}
    return Asked(
        decisions.APPROVAL,
        call.tool_name,
        call.tool_call_id,
        _arguments(call),
        description=description,
        schema=schema,
    )


def _arguments(call: ToolCallPart) -> dict[str, Any]:
    arguments: dict[str, Any] = jsonable(call.args_as_dict())
    return arguments
