"""Arguments of a call that a person changed before they let it run."""

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import SchemaError
from jsonschema.exceptions import UnknownType, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable

from artifacts.core.kinds.base import refuse_forbidden
from artifacts.core.notes import framed
from artifacts.core.rejections import Invalid
from artifacts.core.text import checked

ARGUMENTS_LIMIT = 1_000_000
"""Characters of edited arguments as JSON."""

SHOWN_LIMIT = 4_000
FAULTS_LIMIT = 5


def checked_arguments(arguments: Mapping[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The arguments as JSON, if a tool with this schema takes them. Raises `Invalid`, field by field, or `TooLarge`."""
    try:
        written = json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise Invalid({"arguments": "Are no JSON. Write numbers, texts, lists and objects alone."}) from None
    read: dict[str, Any] = json.loads(checked("arguments", written, limit=ARGUMENTS_LIMIT))
    refuse_forbidden(read, "arguments")
    if wrong := faults(read, schema):
        raise Invalid(wrong)
    return read


def edits_note(by: str, arguments: Mapping[str, Any]) -> str:
    """What tells the model, with the result of its call, that it ran with other arguments than it gave."""
    written = json.dumps(arguments, ensure_ascii=False)
    shown = written if len(written) <= SHOWN_LIMIT else f"{written[:SHOWN_LIMIT]}…"
    return f"{framed(by)} approved this with changed arguments. It was called with: {framed(shown)}"


def faults(arguments: dict[str, Any], schema: dict[str, Any]) -> dict[str, str]:
    """What does not fit, by the name of the argument. A schema that is none, or leads elsewhere, takes no edits."""
    kind: type[Validator] = validator_for(schema, default=Draft202012Validator)
    try:
        kind.check_schema(schema)
        found = list(kind(schema, registry=Registry()).iter_errors(arguments))
    except (SchemaError, UnknownType, Unresolvable, RecursionError):
        return {
            "arguments": "Cannot be checked, because this tool does not say what it takes. Approve it as it is."
        }
    return {_place(fault): f"{fault.message[:300]}." for fault in reversed(found[:FAULTS_LIMIT])}


def _place(fault: ValidationError) -> str:
    return " › ".join(str(step) for step in fault.absolute_path) or "arguments"
