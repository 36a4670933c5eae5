"""Artifacts as readers see them, and what differs between two states, on pages of the admin. All of it is inert."""

from typing import Any

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from artifacts.web.differences import differences
from artifacts.web.showing import PANEL_LIMIT, body


def rendered(kind: str, data: dict[str, Any]) -> SafeString:
    """Data as its kind is drawn, or as mere data with what is wrong with it; its beginning, if it is long."""
    inside = body(kind, data, PANEL_LIMIT)
    problem = format_html('<p class="errornote">{}</p>', inside.problem) if inside.problem else ""
    left = format_html('<p class="help">… {} more characters</p>', f"{inside.left:,}") if inside.left else ""
    return format_html('{}<div class="rendered">{}</div>{}', problem, inside.html, left)


def compared(kind: str, before: dict[str, Any], after: dict[str, Any]) -> SafeString:
    """In which words two states differ."""
    found = differences(kind, before, after)
    return mark_safe(render_to_string("artifacts/_differences.html", {"differences": found}))  # noqa: S308 (a template)
