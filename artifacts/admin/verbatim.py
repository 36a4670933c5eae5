"""Data as staff read it: whole and indented on its own page, and its beginning in a list.

A list asks the database for beginnings and sizes alone, as one row's data may be megabytes.
"""

import json
import re
from typing import Any

from django.db.models import F, Func, QuerySet, TextField
from django.db.models.functions import Cast, Left, Length
from django.utils.html import format_html
from django.utils.safestring import SafeString

BEGINNING = 160
ESCAPE = re.compile(r"\\u([0-9a-f]{4})")


def verbatim(value: Any) -> SafeString:
    """A text as it is, anything else as indented JSON; escaped."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return format_html('<pre class="verbatim">{}</pre>', text)


def shortened[M: QuerySet[Any]](rows: M, field: str) -> M:
    """Rows without a field, but with its `beginning` and its `size` in characters."""
    text: Func | F = Cast(field, TextField())
    narrowed: M = rows.defer(field).annotate(beginning=Left(text, BEGINNING + 1), size=Length(text))
    return narrowed


def beginning(text: str) -> str:
    """The beginning of stored JSON on one line, with its letters unescaped (SQLite stores ASCII)."""
    units = ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)
    line = units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return line if len(text) <= BEGINNING else f"{line[:BEGINNING]}…"


def characters(size: int) -> str:
    """A size for people."""
    return f"{size:,} characters"
