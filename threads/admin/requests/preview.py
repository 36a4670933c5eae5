"""A request on one line: a question's words, or the arguments of a call with titles for the ids of artifacts.

A list reads the beginning of the arguments alone, as one call's may be very long.
"""

import json
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast, Left
from django.utils import timezone
from django.utils.timesince import timesince
from pydantic_core import from_json

from threads.models import Request

WIDTH = 120
PIECE = 300
READ = 2_000
"""Characters of stored arguments that a line is made of."""

ESCAPE = len("\\u0000\\u0000")


def beginnings(rows: QuerySet[Request]) -> QuerySet[Request]:
    """Requests with the beginning of their arguments, and without what only their own pages show."""
    narrowed = rows.defer("arguments", "schema", "description", "choices", "answer")
    return narrowed.annotate(beginning=Left(Cast("arguments", TextField()), READ))


def preview(request: Request) -> str:
    """What is asked, on one line and cut to its beginning."""
    if request.question:
        return cut(request.question)
    titles = {item["id"]: f"“{item['title']}”" for item in request.artifacts}
    return cut(", ".join(f"{name}: {_value(value, titles)}" for name, value in _arguments(request).items()))


def cut(text: str, width: int = WIDTH) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else f"{line[: width - 1]}…"


def ago(at: datetime) -> str:
    """How long ago something was, in one unit."""
    past = timezone.now() - at
    return "just now" if past < timedelta(minutes=1) else f"{timesince(at, depth=1)} ago"


def _arguments(request: Request) -> dict[str, Any]:
    """As many as there is a beginning of; an escape that it ends in the middle of is left out."""
    text = getattr(request, "beginning", None)
    if text is None:
        given: dict[str, Any] = request.arguments
        return given
    for end in range(len(text), max(len(text) - ESCAPE, 0) - 1, -1):
        try:
            read = from_json(text[:end], allow_partial="trailing-strings")
        except ValueError:
            continue
        return read if isinstance(read, dict) else {}
    return {}


def _value(value: Any, titles: dict[str, str]) -> str:
    if isinstance(value, str):
        return titles.get(value, value[:PIECE])
    return json.dumps(value, ensure_ascii=False)[:PIECE]
