"""What a decision is about, as it was shown: the versions travel with the form, and back with the decision.

A list of requests asks for all its artifacts at once.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from artifacts.models import Artifact
from threads.core.decisions import shown_versions
from threads.models import Request

FIELD = "shown-"
"""A list's hidden fields begin with this; one a request, so that a page has few."""

type Versions = dict[str, int]


def heads(requests: Iterable[Request]) -> dict[str, Artifact]:
    """The artifacts that some requests name, as they are now, by id; without their data."""
    named = {item["id"] for request in requests for item in request.artifacts}
    return {str(row.pk): row for row in Artifact.objects.filter(pk__in=named).defer("data")}


def named_by(request: Request, now: Mapping[str, Artifact]) -> list[Artifact]:
    """Those that one request names."""
    return [now[item["id"]] for item in request.artifacts if item["id"] in now]


def as_cell(request: Request, now: Mapping[str, Artifact]) -> SafeString:
    """Titles and versions for people, and the field that says which versions they saw."""
    rows = named_by(request, now)
    said = format_html_join("", "<br>{}, version {}", ((row.title, row.version) for row in rows))
    versions = " ".join(f"{row.pk}:{row.version}" for row in rows)
    return format_html('{}<input type="hidden" name="{}{}" value="{}">', said, FIELD, request.pk, versions)


def from_cell(posted: Mapping[str, Any], request_id: str) -> Versions:
    """The versions that a list showed for one request."""
    pairs = (pair.partition(":") for pair in str(posted.get(f"{FIELD}{request_id}", "")).split())
    return shown_versions((id, version) for id, _, version in pairs)
