"""An artifact as a file: its data as JSON, or what it says in Markdown."""

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils.http import content_disposition_header
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from artifacts.core.kinds import kinds
from artifacts.core.rejections import NotFound
from artifacts.web.access import SignedIn, private
from artifacts.web.history import revision_of
from artifacts.web.kindforms import fields_of, label_of
from artifacts.web.page import artifact_for

CONTENT_TYPES = {"md": "text/markdown; charset=utf-8", "json": "application/json"}


@require_GET
@private
def newest(request: SignedIn, artifact_id: UUID, ending: str) -> HttpResponse:
    """The artifact as it is, to download."""
    _, found = artifact_for(request.user, artifact_id)
    return _file(found.kind, found.title, found.data, ending)


@require_GET
@private
def of_revision(request: SignedIn, artifact_id: UUID, version: int, ending: str) -> HttpResponse:
    """One version to download."""
    _, found = artifact_for(request.user, artifact_id)
    row = revision_of(found, version)
    return _file(found.kind, row.title, row.data, ending)


def _file(kind: str, title: str, data: dict[str, Any], ending: str) -> HttpResponse:
    if ending not in CONTENT_TYPES:
        raise NotFound(f"A file that ends in .{ending[:10]}")
    text = as_json(data) if ending == "json" else as_markdown(kind, title, data)
    name = f"{slugify(title)[:80] or kind}.{ending}"
    disposition = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    return HttpResponse(
        text, content_type=CONTENT_TYPES[ending], headers={"Content-Disposition": disposition}
    )


def as_json(data: Mapping[str, Any]) -> str:
    """The data, indented."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def as_markdown(kind_name: str, title: str, data: Mapping[str, Any]) -> str:
    """What an artifact says: by its kind's template (`artifacts/kinds/<kind>.md`), else by its fields."""
    kind = kinds().get(kind_name)
    try:
        return (
            get_template(f"artifacts/kinds/{kind_name}.md").render({"title": title, "data": data}).strip()
            + "\n"
        )
    except TemplateDoesNotExist:
        infos = {} if kind is None else fields_of(kind)
    fields = [f"## {label_of(key, infos.get(key))}\n\n{_plain(value)}" for key, value in data.items()]
    return "\n\n".join([f"# {title}", *fields]) + "\n"


def _plain(value: Any) -> str:
    match value:
        case str():
            return value.strip()
        case [*items] if all(isinstance(item, str) for item in items):
            return "\n".join(f"- {item}" for item in items)
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"
