"""A request on one line: a question's words, or the arguments of a call with titles for the ids of artifacts."""

import json
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.timesince import timesince

from threads.models import Request

WIDTH = 120
PIECE = 300


def preview(request: Request) -> str:
    """What is asked, on one line and cut to its beginning."""
    if request.question:
        return cut(request.question)
    titles = {item["id"]: f"“{item['title']}”" for item in request.artifacts}
    return cut(", ".join(f"{name}: {_value(value, titles)}" for name, value in request.arguments.items()))


def cut(text: str, width: int = WIDTH) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text[: 4 * width].split())
    return line if len(line) <= width and len(text) <= 4 * width else f"{line[: width - 1]}…"


def ago(at: datetime) -> str:
    """How long ago something was, in one unit."""
    past = timezone.now() - at
    return "just now" if past < timedelta(minutes=1) else f"{timesince(at, depth=1)} ago"


def _value(value: Any, titles: dict[str, str]) -> str:
    if isinstance(value, str):
        return titles.get(value, value[:PIECE])
    return json.dumps(value, ensure_ascii=False)[:PIECE]
