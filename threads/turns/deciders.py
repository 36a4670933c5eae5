"""Who may answer questions and decide approvals: editors of the workspace, and reviewers, who need not be members.

A question is for the workspace's editors and for whoever has the permission to answer. An approval is for whoever has
the permission to decide, and for the workspace's editors where it is governed so. Where the tool names a permission of
its own, whoever decides needs that one besides.
"""

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from artifacts.core import rules
from artifacts.core.rejections import Forbidden, NotFound
from artifacts.members import account_with, role_of
from artifacts.models import Membership, Workspace
from threads.core import decisions
from threads.models import Request

DECIDE = "threads.decide_approvals"
ANSWER = "threads.answer_questions"
PERMISSIONS = {decisions.QUESTION: ANSWER, decisions.APPROVAL: DECIDE}
WRITERS = (rules.EDITOR, rules.OWNER)


def may_decide(user: User, request: Request, workspace_id: str) -> bool:
    """Whether this person may answer or decide the request."""
    try:
        require_decider(user, request, workspace_id)
    except (Forbidden, NotFound):
        return False
    return True


def require_decider(user: User, request: Request, workspace_id: str) -> None:
    """Raises `Forbidden` for who may read it and not decide it, and `NotFound` for a stranger."""
    role = role_of(user.pk, workspace_id)
    if account_with(user, PERMISSIONS[request.kind]) is None:
        _require_deciding_editor(request, role, workspace_id)
    if request.permission and account_with(user, request.permission) is None:
        raise Forbidden(f"Only who has the permission {request.permission} may decide this. Ask one of them.")


def reviewable_by(user: User) -> QuerySet[Request]:
    """The requests that a reviewer may decide, whatever the workspace, and those that were."""
    kinds = [kind for kind, permission in PERMISSIONS.items() if account_with(user, permission) is not None]
    return Request.objects.filter(_permitted(user), kind__in=kinds)


def decidable_by(user: User) -> QuerySet[Request]:
    """The open requests that a person may decide, as a reviewer or as an editor."""
    if not user.is_active:
        return Request.objects.none()
    kinds = [kind for kind, permission in PERMISSIONS.items() if account_with(user, permission) is not None]
    own = Membership.objects.filter(
        user_id=user.pk, role__in=WRITERS, workspace_id=OuterRef("thread__workspace_id")
    )
    as_editor = Q(kind=decisions.QUESTION) | Q(thread__workspace__editors_decide=True)
    mine = Q(kind__in=kinds) | (as_editor & Exists(own))
    return Request.objects.filter(mine, _permitted(user), state=decisions.OPEN)


def _permitted(user: User) -> Q:
    """What needs no permission of its own, or one that the person has."""
    if user.is_superuser:
        return Q()
    return Q(permission__in=["", *user.get_all_permissions()])


def _require_deciding_editor(request: Request, role: str | None, workspace_id: str) -> None:
    if request.kind == decisions.QUESTION:
        rules.require_editor(role)
        return
    rules.require_member(role)
    if not Workspace.objects.filter(pk=workspace_id, editors_decide=True).exists():
        raise Forbidden("Only a reviewer may decide approvals. It waits in the admin for one.")
    rules.require_editor(role)
