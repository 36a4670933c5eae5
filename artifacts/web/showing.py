"""An artifact as HTML: by its kind's template, and no longer than the place where it is shown can bear."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.loader import select_template
from django.utils.safestring import SafeString, mark_safe

from artifacts.core.kinds import kind_named
from artifacts.models import Artifact, Revision
from artifacts.web.prose import LIMIT, bounded

PANEL_LIMIT = 2 * LIMIT
EVERYTHING = 4 * 1024 * 1024
WIDEST = 120_000
"""Characters of HTML above which a kind without text is not shown in a panel."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the templates of an artifact need. `left` counts the characters that are not in `html`."""

    id: str
    title: str
    kind: str
    version: int
    by: str
    at: datetime
    html: SafeString
    left: int = 0
    archived: bool = False


def artifact_shown(artifact: Artifact, limit: int = PANEL_LIMIT) -> Shown:
    """An artifact as it is now."""
    html, left = body(artifact.kind, artifact.data, limit)
    return Shown(
        id=str(artifact.pk),
        title=artifact.title,
        kind=artifact.kind,
        version=artifact.version,
        by=artifact.changed_by,
        at=artifact.changed_at,
        html=html,
        left=left,
        archived=artifact.archived_at is not None,
    )


def revision_shown(revision: Revision, limit: int = EVERYTHING) -> Shown:
    """One version of an artifact."""
    html, left = body(revision.artifact.kind, revision.data, limit)
    return Shown(
        id=str(revision.artifact_id),
        title=revision.title,
        kind=revision.artifact.kind,
        version=revision.version,
        by=revision.actor_name,
        at=revision.at,
        html=html,
        left=left,
    )


def body(kind: str, data: dict[str, Any], limit: int) -> tuple[SafeString, int]:
    """The inside of an artifact, and how much of it was left out."""
    field = kind_named(kind).text_field
    if field is not None:
        prose = bounded(str(data[field]), limit)
        return mark_safe(prose.html), prose.left  # noqa: S308 (cleaned)
    template = select_template([f"artifacts/kinds/{kind}.html", "artifacts/kinds/other.html"])
    html = template.render({"data": data, "kind": kind})
    if len(html) > WIDEST and limit < EVERYTHING:
        return SafeString(""), len(html)
    return html, 0
