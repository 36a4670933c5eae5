"""An artifact as HTML: by its kind's template, else by its fields, and no longer than the place where it is shown can
bear. Data that its kind no longer accepts is shown as data, with what is wrong with it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.loader import select_template
from django.utils.html import format_html, format_html_join, linebreaks
from django.utils.safestring import SafeString, mark_safe
from pydantic import ValidationError

from artifacts.core.kinds import Kind, kind_named
from artifacts.core.kinds.base import problems
from artifacts.core.rejections import Invalid
from artifacts.models import Artifact, Event, Proposal, Revision
from artifacts.proposals import standing
from artifacts.web.kindforms import fields_of, label_of
from artifacts.web.prose import LIMIT, bounded

PANEL_LIMIT = 2 * LIMIT
EVERYTHING = 4 * 1024 * 1024
WIDEST = 120_000
"""Characters of HTML above which a kind without text is not shown in a panel."""

WAITING = 20
"""Proposals that are named beside their artifact; the list of them has all."""

DEEPEST = 6
"""Levels of nested data that are drawn; what lies deeper is shown as JSON."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the templates of an artifact need. `left` counts the characters that are not in `html`, `problem` says why
    the data is shown as mere data, and `seq` is the newest event about the artifact."""

    id: str
    title: str
    kind: str
    version: int
    by: str
    at: datetime
    html: SafeString
    left: int = 0
    problem: str = ""
    archived: bool = False
    seq: int = 0
    waiting: tuple["Waiting", ...] = ()


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal that waits for a decision, and whether it still applies."""

    id: str
    by: str
    at: datetime
    summary: str
    applies: bool


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside an artifact's data; see `Shown`."""

    seq: int
    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """The inside of an artifact; see `Shown`."""

    html: SafeString
    left: int = 0
    problem: str = ""


def artifact_shown(artifact: Artifact, limit: int = PANEL_LIMIT) -> Shown:
    """An artifact as it is now."""
    return drawn(artifact, beside(artifact), limit)


def beside(artifact: Artifact) -> Beside:
    """What stands beside an artifact, whose row is read again: what is shown is not older than its `seq`."""
    about = Event.objects.filter(artifact=artifact.pk).order_by("-seq").values_list("seq", flat=True)
    seq = about.first() or 0
    artifact.refresh_from_db()
    return Beside(seq, tuple(_waiting(artifact)))


def _waiting(artifact: Artifact) -> Iterator[Waiting]:
    rows = artifact.proposals.filter(state=Proposal.State.OPEN).order_by("seq")[:WAITING]
    for row in rows:
        row.artifact = artifact
        yield Waiting(str(row.pk), row.actor_name, row.made_at, row.summary, standing(row).applies)


def drawn(artifact: Artifact, beside: Beside, limit: int = PANEL_LIMIT) -> Shown:
    """An artifact and what stands beside it, without a look into the database."""
    inside = body(artifact.kind, artifact.data, limit)
    return Shown(
        id=str(artifact.pk),
        title=artifact.title,
        kind=artifact.kind,
        version=artifact.version,
        by=artifact.changed_by,
        at=artifact.changed_at,
        html=inside.html,
        left=inside.left,
        problem=inside.problem,
        archived=artifact.archived_at is not None,
        seq=beside.seq,
        waiting=beside.waiting,
    )


def revision_shown(revision: Revision, limit: int = EVERYTHING) -> Shown:
    """One version of an artifact."""
    inside = body(revision.artifact.kind, revision.data, limit)
    return Shown(
        id=str(revision.artifact_id),
        title=revision.title,
        kind=revision.artifact.kind,
        version=revision.version,
        by=revision.actor_name,
        at=revision.at,
        html=inside.html,
        left=inside.left,
        problem=inside.problem,
    )


def body(kind_name: str, data: dict[str, Any], limit: int = EVERYTHING) -> Body:
    """The inside of an artifact of this kind."""
    try:
        kind = kind_named(kind_name)
        kind.model_validate(data)
    except (Invalid, ValidationError) as error:
        return _as_data(data, error, limit)
    if kind.text_field is not None:
        prose = bounded(str(data.get(kind.text_field, "")), limit)
        return Body(mark_safe(prose.html), prose.left)  # noqa: S308 (cleaned)
    html = _drawn(kind, data)
    return Body(SafeString(""), len(html)) if len(html) > WIDEST and limit < EVERYTHING else Body(html)


def _drawn(kind: type[Kind], data: dict[str, Any]) -> SafeString:
    template = select_template([f"artifacts/kinds/{kind.name}.html", "artifacts/kinds/other.html"])
    infos = fields_of(kind)
    fields = [(label_of(key, infos.get(key)), as_html(value)) for key, value in data.items()]
    html: str = template.render({"data": data, "kind": kind.name, "fields": fields})
    return mark_safe(html)  # noqa: S308 (a template)


def _as_data(data: dict[str, Any], error: Invalid | ValidationError, limit: int) -> Body:
    fields = error.details["fields"] if isinstance(error, Invalid) else problems(error)
    problem = " ".join(f"{name}: {said}" for name, said in fields.items())
    text = json.dumps(data, ensure_ascii=False, indent=2)
    html = format_html('<pre tabindex="0"><code>{}</code></pre>', text[:limit])
    return Body(html, max(0, len(text) - limit), problem)


def as_html(value: Any, depth: int = 0) -> SafeString:
    """A JSON value for people to read."""
    if depth == DEEPEST:
        return format_html("<code>{}</code>", json.dumps(value, ensure_ascii=False))
    match value:
        case Mapping():
            rows = ((label_of(str(key)), as_html(item, depth + 1)) for key, item in value.items())
            return format_html("<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", rows))
        case [*items]:
            drawn = format_html_join("", "<li>{}</li>", ((as_html(item, depth + 1),) for item in items))
            return format_html("<ul>{}</ul>", drawn) if items else as_html(None)
        case bool():
            return format_html("<p>{}</p>", "yes" if value else "no")
        case None | "":
            return mark_safe("<p>—</p>")
    return mark_safe(linebreaks(str(value), autoescape=True))  # noqa: S308 (escaped)
