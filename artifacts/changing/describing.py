"""What a change is in words, bounded, as its event keeps it."""

import json
from typing import Any

from pydantic import ValidationError

from artifacts.core.diffs import changes
from artifacts.core.kinds import Kind
from artifacts.core.notes import DESCRIPTION_LIMIT, PASSAGE_LIMIT, PASSAGES_LIMIT


def described(instance: Kind, before: dict[str, Any]) -> dict[str, Any]:
    """What leads from `before` to `instance`: in the kind's own words, else as the passages that changed in its fields.

    One passage, and one character of each, more than the limits say that there is more.
    """
    if (words := _in_its_own_words(instance, before)) is not None:
        return {"described": words[: DESCRIPTION_LIMIT + 1]}
    after = instance.model_dump(mode="json")
    passages = [
        change
        for field in sorted({*before, *after})
        if before.get(field, "") != after.get(field, "")
        for change in changes(_as_text(before.get(field, "")), _as_text(after.get(field, "")))
    ]
    shown = [
        {"old": _shown(change.old), "new": _shown(change.new)} for change in passages[: PASSAGES_LIMIT + 1]
    ]
    return {"changes": shown, "passages": len(passages)}


def _in_its_own_words(instance: Kind, before: dict[str, Any]) -> str | None:
    """None also where what was stored before is no longer valid: the kind has changed since."""
    try:
        return instance.describe_change(type(instance).model_validate(before))
    except ValidationError:
        return None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _shown(passage: str) -> str:
    return passage.strip()[: PASSAGE_LIMIT + 1]
