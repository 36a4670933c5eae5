"""The arguments of a call as fields that a person may change before they approve it, and what was posted as arguments.

Each argument is a field of its own: a text as it is, anything else as JSON. What nobody changed stays what it was, to
the letter, and an argument that the model did not give stays away while its field is empty.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from artifacts.core.rejections import Invalid
from threads.models import Request

ARGUMENT = "argument-"
"""The fields of arguments begin with this."""

FIELDS_LIMIT = 40
CHARACTERS_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as a field: its `value` is what the form shows, `original` what the model gave."""

    name: str
    value: str
    original: str
    is_text: bool
    is_given: bool

    @property
    def field(self) -> str:
        """The field's name in the form."""
        return f"{ARGUMENT}{self.name}"


def argument_fields(request: Request, typed: Mapping[str, str]) -> list[Argument]:
    """A field for each argument, with what was typed into it; none if there are too many. What is too long stays as the
    model gave it: it has no field."""
    fields = [
        Argument(name, typed.get(f"{ARGUMENT}{name}", original), original, is_text, is_given)
        for name, original, is_text, is_given in _originals(request)
    ]
    return _short_enough(fields) if len(fields) <= FIELDS_LIMIT else []


def _short_enough(fields: list[Argument]) -> list[Argument]:
    """Those that fit together, the shortest first, in the order in which they stand."""
    left, kept = CHARACTERS_LIMIT, set[str]()
    for field in sorted(fields, key=lambda field: len(field.original)):
        left -= len(field.original)
        if left >= 0:
            kept.add(field.name)
    return [field for field in fields if field.name in kept]


def edited_arguments(request: Request, posted: Mapping[str, str]) -> dict[str, Any] | None:
    """The arguments that were posted, None if nobody changed any. Raises `Invalid` where one is no JSON."""
    changed = {
        field.name: field
        for field in argument_fields(request, posted)
        if _lines(field.value) != _lines(field.original)
    }
    if not changed:
        return None
    cleared = {name for name, field in changed.items() if not field.is_text and not field.value.strip()}
    read = {name: _read(field) for name, field in changed.items() if name not in cleared}
    kept = {name: value for name, value in request.arguments.items() if name not in cleared}
    return {**kept, **read}


def _originals(request: Request) -> Iterator[tuple[str, str, bool, bool]]:
    for name, value in request.arguments.items():
        is_text = isinstance(value, str)
        yield name, value if is_text else json.dumps(value, ensure_ascii=False, indent=2), is_text, True
    properties = request.schema.get("properties")
    for name, schema in properties.items() if isinstance(properties, dict) else ():
        if name not in request.arguments:
            is_text = isinstance(schema, dict) and schema.get("type") == "string"
            yield name, "", is_text, False


def _read(field: Argument) -> Any:
    if field.is_text:
        return _lines(field.value)
    try:
        return json.loads(field.value)
    except (ValueError, RecursionError):
        raise Invalid({field.name: f"{field.name}: Is no JSON. Put texts into quotation marks."}) from None


def _lines(text: str) -> str:
    """Browsers end lines in their own way."""
    return text.replace("\r\n", "\n")
