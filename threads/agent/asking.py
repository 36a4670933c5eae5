"""What a pausing run asks, as requests that people can read and answer without the agent.

A tool that raises `CallDeferred` may say in its metadata what to ask (`question`, `choices`), and one that raises
`ApprovalRequired` what is to be approved (`description`); what it does not say is made of its name and description.
A tool that is defined with `metadata={"permission": "app.codename"}` lets only those decide who have that permission.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, ToolDefinition

from artifacts.core.text import cleaned
from threads.agent.history import jsonable
from threads.core import decisions
from threads.turns.ending import Asked

QUESTION_LIMIT = 20_000
CHOICES_LIMIT = 50


def asked(
    requests: DeferredToolRequests,
    definitions: Mapping[str, ToolDefinition],
    messages: Sequence[ModelMessage],
) -> list[Asked]:
    """Questions and approvals in the order in which the model made the calls, in the last of these messages."""
    found = [_question(call, requests.metadata.get(call.tool_call_id, {})) for call in requests.calls]
    found += [
        _approval(call, requests.metadata.get(call.tool_call_id, {}), definitions.get(call.tool_name))
        for call in requests.approvals
    ]
    order = _order(messages)
    return sorted(found, key=lambda one: order.get(one.call, len(order)))


def _order(messages: Sequence[ModelMessage]) -> dict[str, int]:
    """The place of each call of the last response that made any."""
    for message in reversed(messages):
        if isinstance(message, ModelResponse) and message.tool_calls:
            return {call.tool_call_id: place for place, call in enumerate(message.tool_calls)}
    return {}


def _question(call: ToolCallPart, metadata: dict[str, Any]) -> Asked:
    arguments = _arguments(call)
    said = {**arguments, **metadata}
    words = said.get("question") or f"{call.tool_name} waits for an answer."
    choices = said.get("choices")
    return Asked(
        decisions.QUESTION,
        call.tool_name,
        call.tool_call_id,
        arguments,
        question=cleaned(str(words))[:QUESTION_LIMIT],
        choices=[cleaned(str(choice)) for choice in choices[:CHOICES_LIMIT]]
        if isinstance(choices, list | tuple)
        else (),
    )


def _approval(call: ToolCallPart, metadata: dict[str, Any], definition: ToolDefinition | None) -> Asked:
    description = metadata.get("description") or (definition and definition.description) or ""
    schema = definition.parameters_json_schema if definition else {}
    return Asked(
        decisions.APPROVAL,
        call.tool_name,
        call.tool_call_id,
        _arguments(call),
        description=cleaned(str(description)),
        schema=schema,
        permission=_permission(definition),
    )


def _permission(definition: ToolDefinition | None) -> str:
    """The Django permission (`app.codename`) that the tool's metadata names."""
    return str(((definition and definition.metadata) or {}).get("permission", ""))


def _arguments(call: ToolCallPart) -> dict[str, Any]:
    arguments: dict[str, Any] = jsonable(call.args_as_dict())
    return arguments
