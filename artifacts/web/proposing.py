"""Changes that wait for a decision: what they would do to the artifact as it is now, and deciding on them."""

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from artifacts.core.commands import Accept, Reject, RespondToProposal, WithdrawProposal
from artifacts.core.kinds import kind_named
from artifacts.core.rejections import NotFound, Rejection
from artifacts.members import actor_of
from artifacts.models import Proposal
from artifacts.proposals import Standing, proposed_data, standing
from artifacts.reading import data_at
from artifacts.web.access import SignedIn, private
from artifacts.web.differences import Difference, differences
from artifacts.web.editing import Edit, Found, edited
from artifacts.web.errors import is_htmx, sentence, status_of
from artifacts.web.kindforms import KindForm
from artifacts.web.merging import merging
from artifacts.web.page import artifact_for, done, may_write, opened, whole_number

MANY = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """A proposal as it stands now, the same for everyone who looks: `version` is the artifact's."""

    row: Proposal
    version: int
    standing: Standing
    differences: list[Difference]


@require_GET
@private
def proposals(request: SignedIn, artifact_id: UUID) -> HttpResponse:
    """What was suggested for an artifact, the newest first."""
    found = artifact_for(request.user, artifact_id)
    rows = found[1].proposals.defer("patch", "changes")[:MANY]
    return opened(request, found, "artifacts/_proposals.html", {"proposals": rows})


@require_GET
@private
def proposal(request: SignedIn, proposal_id: UUID) -> HttpResponse:
    """One proposal, with what this person may do about it."""
    found, row = proposal_for(request.user, proposal_id)
    return _opened(request, found, row)


@require_GET
@private
def standing_now(request: SignedIn, proposal_id: UUID) -> HttpResponse:
    """How a proposal stands now: for a page on which the artifact has changed."""
    _, row = proposal_for(request.user, proposal_id)
    return render(request, "artifacts/_proposal_standing.html", {"proposal": shown(row)})


@require_http_methods(["GET", "POST"])
@private
def changes(request: SignedIn, proposal_id: UUID) -> HttpResponse:
    """The form in which somebody accepts a proposal with their own changes on top."""
    found, row = proposal_for(request.user, proposal_id)
    if request.method == "POST":
        return edited(request, found, row)
    found[0].guard()
    return opened(request, found, "artifacts/_edit.html", {"edit": _edit_of(row)})


@require_POST
@private
def resolution(request: SignedIn, proposal_id: UUID) -> HttpResponse:
    """Accept a proposal as it was shown, or reject it with a reason."""
    found, row = proposal_for(request.user, proposal_id)
    try:
        outcome = found[0].commit(RespondToProposal(str(row.pk), _decision(request)))
    except Rejection as rejection:
        if is_htmx(request):
            raise
        return _opened(request, found, row, rejection)
    accepted = outcome.state == Proposal.State.ACCEPTED
    said = f"Accepted, as version {outcome.version}." if accepted else "Rejected."
    return done(request, found, said)


@require_POST
@private
def withdrawal(request: SignedIn, proposal_id: UUID) -> HttpResponse:
    """Take one's own proposal back."""
    found, row = proposal_for(request.user, proposal_id)
    found[0].commit(WithdrawProposal(str(row.pk)))
    return done(request, found, "Withdrawn.")


def proposal_for(user: User, proposal_id: UUID) -> tuple[Found, Proposal]:
    """A proposal, its artifact and the handle. Raises `NotFound`, to strangers too."""
    row = Proposal.objects.filter(pk=proposal_id).first()
    if row is None:
        raise NotFound("This proposal")
    found = artifact_for(user, row.artifact_id)
    row.artifact = found[1]
    return found, row


def shown(row: Proposal) -> Shown:
    """A proposal as everyone sees it: what it changes now; of one that does not apply, what it meant to change."""
    now, kind = standing(row), row.artifact.kind
    if row.state == Proposal.State.OPEN and now.data is not None:
        changed = differences(kind, row.artifact.data, now.data)
    else:
        meant = proposed_data(row)
        changed = [] if meant is None else differences(kind, data_at(row.artifact, row.base), meant)
    return Shown(row, row.artifact.version, now, changed)


def _opened(
    request: SignedIn, found: Found, row: Proposal, rejection: Rejection | None = None
) -> HttpResponse:
    is_author = (row.actor_kind, row.actor_id) == ("user", actor_of(request.user).id)
    writes = may_write(request.user, found[0].workspace)
    context = {
        "proposal": shown(row),
        "may_decide": writes and not is_author,
        "may_withdraw": is_author,
        "reason": request.POST.get("reason", ""),
        "error": sentence(rejection) if rejection else "",
    }
    status = status_of(rejection) if rejection else 200
    return opened(request, found, "artifacts/_proposal.html", context, status)


def _decision(request: SignedIn) -> Accept | Reject:
    """What was posted, as a decision on the version that was shown with it."""
    if request.POST.get("decision") == "reject":
        return Reject(request.POST.get("reason", "").strip())
    return Accept(base=whole_number(request.POST.get("base", ""), "The version that was shown"))


def _edit_of(row: Proposal) -> Edit:
    """An edit that begins with what the proposal makes of the artifact; where it does not apply, with both sides'."""
    artifact, kind, now = row.artifact, kind_named(row.artifact.kind), standing(row)
    if now.data is not None:
        return Edit(artifact, KindForm(kind, now.data), artifact.version, proposal=row)
    ours = proposed_data(row)
    edit = Edit(artifact, KindForm(kind, artifact.data), artifact.version, proposal=row)
    if ours is None:
        edit.error = now.why
    else:
        base, by = data_at(artifact, row.base), artifact.changed_by
        edit.merging = merging(kind, base, ours, artifact.data, head=artifact.version, by=by)
    return edit
