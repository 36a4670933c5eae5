"""Changes to an artifact's data, as they are asked for."""

import json
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, cast

import jsonpatch
from jsonpointer import JsonPointer, JsonPointerException
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from artifacts.core.kinds.base import Kind, problems, refuse_forbidden, validated
from artifacts.core.limits import USUAL, Limits
from artifacts.core.rejections import Invalid, PatchFailed, TooLarge

OCCURRENCES_LIMIT = 100
POINTER = r"^(/([^~]|~[01])*)?$"
"""A JSON pointer (RFC 6901): nothing, or `/` and steps, in which `~` is written `~0` and `/` is `~1`."""


@dataclass(frozen=True, slots=True)
class WholeText:
    """Replace the whole text of a kind that has one."""

    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Replace the passage `old`, which must occur exactly once in the current text, by `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class WholeData:
    """Replace all of the artifact's data."""

    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class JsonPatch:
    """Change the artifact's data by the operations of RFC 6902: each has `op`, `path`, and `value` or `from`."""

    operations: list[dict[str, Any]]


type Patch = WholeText | Passage | WholeData | JsonPatch


def applied(patch: Patch, kind: type[Kind], data: dict[str, Any], limits: Limits = USUAL) -> Kind:
    """What `data` becomes. Raises `Invalid`, `TooLarge` or `PatchFailed`."""
    match patch:
        case WholeData(new):
            return validated(kind, new, limits)
        case WholeText(text):
            return validated(kind, {**data, _text_field(kind): text}, limits)
        case Passage(old, new):
            field = _text_field(kind)
            return validated(kind, {**data, field: replaced_once(str(data.get(field, "")), old, new)}, limits)
        case JsonPatch(operations):
            return validated(kind, _operated(operations, data, limits), limits)


def applies_to_any_version(patch: Patch) -> bool:
    """Whether a stale base is no conflict: an exact passage says itself whether it still fits."""
    return isinstance(patch, Passage)


def replaced_once(text: str, old: str, new: str) -> str:
    """`text` with its only occurrence of `old` replaced. Raises `PatchFailed` with how often it occurs."""
    if not old:
        raise Invalid({"old": "Is empty. Quote the passage to replace."})
    if (found := occurrences(text, old)) != 1:
        raise PatchFailed(found)
    return text.replace(old, new, 1)


def occurrences(text: str, passage: str) -> int:
    """How often `passage` begins in `text`, overlapping beginnings included, up to `OCCURRENCES_LIMIT`."""
    count, start = 0, text.find(passage)
    while start != -1 and count < OCCURRENCES_LIMIT:
        count, start = count + 1, text.find(passage, start + 1)
    return count


def _text_field(kind: type[Kind]) -> str:
    if kind.text_field is None:
        raise Invalid({"patch": f"A {kind.name} has no single text. Change its data instead."})
    return kind.text_field


class Operation(BaseModel):
    """One operation of a JSON patch, as RFC 6902 has it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    op: Literal["add", "remove", "replace", "move", "copy", "test"]
    path: str = Field(pattern=POINTER)
    from_: str | None = Field(default=None, alias="from", pattern=POINTER)
    value: Any = None


def _operated(operations: list[dict[str, Any]], data: dict[str, Any], limits: Limits) -> Any:
    """What the operations make of `data`, one after the other, as long as that stays within the limits."""
    if len(operations) > limits.patch_operations:
        message = f"operations: {len(operations):,}; the limit is {limits.patch_operations:,}. Replace more at once."
        raise TooLarge(message, limit=limits.patch_operations)
    refuse_forbidden(operations, "operations")
    changed: Any = deepcopy(data)
    copied = 0
    for number, operation in enumerate(deepcopy(operations)):  # what one adds, the next may change
        _require_well_formed(number, operation)
        copied += _copied(operation, changed)
        if copied > limits.artifact_bytes:
            message = f"operations.{number}: copies more than {limits.artifact_bytes:,} bytes. Copy less."
            raise TooLarge(message, limit=limits.artifact_bytes)
        changed = _next(number, operation, changed)
    return changed


def _require_well_formed(number: int, operation: dict[str, Any]) -> None:
    try:
        Operation.model_validate(operation)
    except ValidationError as error:
        wrong = {f"operations.{number}.{field}": problem for field, problem in problems(error).items()}
        raise Invalid(wrong) from None
    lacking = {"add": "value", "replace": "value", "test": "value", "move": "from", "copy": "from"}
    if (name := lacking.get(operation["op"])) and name not in operation:
        raise Invalid({f"operations.{number}.{name}": "Field required."})


def _copied(operation: dict[str, Any], data: Any) -> int:
    """How many characters an operation copies: a copy of a copy doubles, and five hundred of those fill any memory."""
    if operation["op"] != "copy":
        return 0
    try:
        return len(json.dumps(JsonPointer(operation["from"]).resolve(data), ensure_ascii=False))
    except (JsonPointerException, TypeError):
        return 0  # there is nothing to copy, which the operation itself will say


def _next(number: int, operation: dict[str, Any], data: Any) -> Any:
    try:
        return jsonpatch.JsonPatch(cast(Any, [operation])).apply(data, in_place=True)
    except (jsonpatch.JsonPatchException, JsonPointerException, TypeError, KeyError, IndexError):
        raise PatchFailed(0, operation=number, path=operation["path"]) from None
