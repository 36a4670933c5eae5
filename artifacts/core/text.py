"""What text may hold, everywhere: any Unicode but NUL and lone surrogates, which databases and JSON refuse."""

import re
from collections.abc import Mapping
from typing import Any

from artifacts.core.rejections import Invalid, TooLarge

FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


def checked(field: str, text: str, *, limit: int, required: bool = True) -> str:
    """`text`, or a rejection that names `field`. `limit` counts characters."""
    if found := FORBIDDEN.search(text):
        name = "a NUL character" if found[0] == "\x00" else "half of a surrogate pair"
        raise Invalid({field: f"Contains {name} at position {found.start() + 1}. Remove it."})
    if len(text) > limit:
        raise TooLarge(f"{field}: {len(text):,} characters; the limit is {limit:,}. Shorten it.", limit=limit)
    if required and not text.strip():
        raise Invalid({field: "Is empty. Write something."})
    return text


def cleaned(text: str) -> str:
    """`text` with what may not be stored shown as U+FFFD: for what models and tools produce."""
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def cleaned_json(value: Any) -> Any:
    """A JSON-like value in which every text, keys included, is `cleaned`."""
    if isinstance(value, str):
        return cleaned(value)
    if isinstance(value, Mapping):
        return {cleaned(str(key)): cleaned_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned_json(item) for item in value]
    return value
