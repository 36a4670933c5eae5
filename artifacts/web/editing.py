"""A person's edit: the form, the version that it was begun on, and, where others were faster, how the two go together.

What was typed is never given up: it is saved, suggested, merged with what others did, or shown again with the reason.
"""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.template.loader import select_template
from django.views.decorators.http import require_GET

from artifacts.core.commands import Accept, Asked, EditArtifact, ProposeChange, RespondToProposal
from artifacts.core.kinds import kind_named
from artifacts.core.outcomes import Applied, Proposed, Resolved
from artifacts.core.patches import Patch, WholeData, WholeText
from artifacts.core.rejections import CommandIdReused, Rejection, VersionConflict
from artifacts.handle import Handle
from artifacts.models import Artifact, Proposal
from artifacts.reading import data_at
from artifacts.web.access import SignedIn, private
from artifacts.web.errors import is_htmx, status_of
from artifacts.web.kindforms import KindForm
from artifacts.web.merging import LEAD, Merging, merging
from artifacts.web.page import artifact_for, done, opened, whole_number

SAVE, SUGGEST = "save", "suggest"
MERGED, SUGGEST_MERGED = "merged", "suggest-merged"

type Found = tuple[Handle, Artifact]


@dataclass(slots=True)
class Edit:
    """What the form of an artifact holds: `form`, begun on version `base`; and the merge, if there had to be one."""

    artifact: Artifact
    form: KindForm
    base: int
    summary: str = ""
    error: str = ""
    merging: Merging | None = None
    proposal: Proposal | None = None
    """What is accepted by saving, with the person's own changes."""
    command_id: str | None = field(default_factory=lambda: str(uuid.uuid4()))
    """Sent twice, because an answer was lost on the way, it is done once."""

    @classmethod
    def of(cls, artifact: Artifact) -> "Edit":
        """An edit that has changed nothing yet."""
        return cls(artifact, KindForm(kind_named(artifact.kind), artifact.data), artifact.version)

    @classmethod
    def posted(
        cls, artifact: Artifact, posted: Mapping[str, str], proposal: Proposal | None = None
    ) -> "Edit":
        """What somebody typed. Raises `NotFound` where no version is named."""
        base = whole_number(posted.get("base", ""), "The version that this was written for")
        form = KindForm(kind_named(artifact.kind), _data_at(artifact, base), posted)
        summary, command_id = posted.get("summary", ""), posted.get("command_id") or None
        return cls(artifact, form, base, summary, proposal=proposal, command_id=command_id)

    def save(self, handle: Handle) -> Applied | Proposed | Resolved:
        """Make it the next version. Raises a `Rejection`."""
        data = self.form.payload()
        if self.proposal is not None:
            decision = Accept(base=self.base, changes=WholeData(data))
            return self._commit(handle, RespondToProposal(str(self.proposal.pk), decision))
        patch = patch_between(self.artifact, _data_at(self.artifact, self.base), data)
        return self._commit(handle, EditArtifact(str(self.artifact.pk), self.base, patch, self.summary))

    def suggest(self, handle: Handle) -> Proposed:
        """Let others decide on it: on top of the newest version, whatever it was begun on. Raises a `Rejection`."""
        data = self.form.payload()
        if self.base != self.artifact.version:
            data = self.merged_with_newest(data).ours
        patch = patch_between(self.artifact, self.artifact.data, data)
        command = ProposeChange(str(self.artifact.pk), self.artifact.version, patch, self.summary)
        return self._commit(handle, command)

    def _commit[T](self, handle: Handle, command: Asked[T]) -> T:
        """What was typed after an answer was lost is another command: then no id tells whether that one was done."""
        try:
            return handle.commit(replace(command, command_id=self.command_id))
        except CommandIdReused:
            return handle.commit(command)

    def merged_with_newest(self, ours: dict[str, Any]) -> Merging:
        """Our data and the newest version, brought together."""
        artifact = self.artifact
        kind, base = kind_named(artifact.kind), _data_at(artifact, self.base)
        return merging(kind, base, ours, artifact.data, head=artifact.version, by=artifact.changed_by)


def patch_between(artifact: Artifact, before: dict[str, Any], after: dict[str, Any]) -> Patch:
    """A change of a kind's text alone as such, any other as all of the data."""
    field = kind_named(artifact.kind).text_field
    if field is not None and {**before, field: after.get(field)} == after:
        return WholeText(str(after[field]))
    return WholeData(after)


def _data_at(artifact: Artifact, version: int) -> dict[str, Any]:
    """What a version holds; of one that there is not, what the newest does: the commit refuses it."""
    if not 1 <= version < artifact.version:
        version = artifact.version
    return data_at(artifact, version)


def form_template(kind: str) -> str:
    """The form of a kind: its own where it has one, else the generated one."""
    found = select_template([f"artifacts/kinds/{kind}_form.html", "artifacts/_edit.html"])
    return str(found.template.name)


@require_GET
@private
def form(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """The form that edits an artifact; a request of its own, because not everybody may."""
    found = artifact_for(request.user, artifact_id)
    found[0].guard()
    return opened(request, found, form_template(found[1].kind), {"edit": Edit.of(found[1])})


def edited(request: SignedIn, found: Found, proposal: Proposal | None = None) -> HttpResponse:
    """Save or suggest what was posted, or say why not and how it can go on."""
    handle, artifact = found
    intent = request.POST.get("intent", SAVE)
    edit = Edit.posted(artifact, request.POST.dict(), proposal)
    meant = _merged(edit, request.POST.dict()) if intent in (MERGED, SUGGEST_MERGED) else edit
    carry_out = meant.suggest if intent in (SUGGEST, SUGGEST_MERGED) else meant.save
    try:
        outcome = carry_out(handle)
    except Rejection as rejection:
        return _not_done(request, found, edit, meant, rejection)
    if isinstance(outcome, Proposed):
        return done(request, found, "Suggested. Somebody else decides on it.")
    return done(request, found, f"Saved as version {outcome.version}.")


def _merged(edit: Edit, posted: Mapping[str, str]) -> Edit:
    """The merge that the person looked at and perhaps settled by hand, written for the version shown with it."""
    head = whole_number(posted.get("head", ""), "The version that this was merged with")
    form = KindForm(edit.form.kind, _data_at(edit.artifact, head), posted, lead=LEAD)
    return replace(edit, form=form, base=head)


def _not_done(request: SignedIn, found: Found, edit: Edit, meant: Edit, rejection: Rejection) -> HttpResponse:
    """The form as it was typed, with why it was refused, and the way on."""
    if isinstance(rejection, VersionConflict):
        edit.artifact.refresh_from_db()
        edit.merging = meant.merged_with_newest(meant.form.payload())
    else:
        edit.error = rejection.message
        if meant is not edit:
            shown = edit.merged_with_newest(edit.form.payload())
            edit.merging = replace(shown, form=meant.form, head=meant.base)
    template = "artifacts/_edit_note.html" if is_htmx(request) else "artifacts/_edit.html"
    return opened(request, found, template, {"edit": edit}, status_of(rejection))
