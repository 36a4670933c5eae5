"""Who may decide: reviewers of any workspace, editors where it is governed so, and nobody else, on every surface."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management.sql import emit_post_migrate_signal
from django.test import Client

from artifacts import members
from artifacts.core.rejections import Forbidden, NotFound, Rejection
from artifacts.governing import Governance, govern
from artifacts.models import Event
from tests.threads.admin.asking import (
    approval,
    document,
    left_draft,
    question,
    signed_in,
    staff,
    waiting,
    workspace_of,
)
from threads.core.decisions import Answer, Approve
from threads.models import Request
from threads.turns import answer
from threads.turns.deciders import decidable_by

pytestmark = pytest.mark.django_db(transaction=True)

QUEUE = "/admin/threads/request/"
TOOL_PERMISSION = "artifacts.govern_workspaces"


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root")


def somebody(who: str, alice: User) -> User:
    """One of the people of the matrix."""
    if who == "reviewer":
        user = User.objects.create_user(who, is_staff=True)
        user.groups.add(Group.objects.get(name="Reviewers"))
        return user
    if who == "reviewer who is no staff":
        user = User.objects.create_user("outside")
        user.user_permissions.set(Permission.objects.filter(codename="decide_approvals"))
        return user
    if who in ("staff", "stranger"):
        return User.objects.create_user(who, is_staff=who == "staff")
    if who in ("decides", "answers", "views"):
        names = {"decides": "decide_approvals", "answers": "answer_questions", "views": "view_request"}
        return staff(who, names[who])
    if who == "gone":
        user = staff(who, "decide_approvals", "answer_questions")
        User.objects.filter(pk=user.pk).update(is_active=False)
        return user
    user = User.objects.create_user(who)
    members.add_member(alice, workspace_of(alice), user, who)
    return user


# May they: see the approval in the admin, decide it, answer the question; and what deciding it else says.
MATRIX: list[tuple[str, bool, bool, bool, type[Rejection] | None]] = [
    ("reviewer", True, True, True, None),
    ("decides", True, True, False, None),
    ("reviewer who is no staff", False, True, False, None),
    ("answers", False, False, True, NotFound),
    ("views", True, False, False, NotFound),
    ("staff", False, False, False, NotFound),
    ("viewer", False, False, False, Forbidden),
    ("editor", False, False, True, Forbidden),
    ("owner", False, False, True, Forbidden),
    ("stranger", False, False, False, NotFound),
    ("gone", False, False, False, NotFound),
]


@pytest.mark.parametrize(("who", "sees", "decides", "answers", "refusal"), MATRIX)
def test_who_may_do_what(
    alice: User,
    who: str,
    sees: bool,  # noqa: FBT001 (pytest gives it)
    decides: bool,  # noqa: FBT001 (pytest gives it)
    answers: bool,  # noqa: FBT001 (pytest gives it)
    refusal: type[Rejection] | None,
) -> None:
    user = somebody(who, alice)
    approve = waiting(alice, approval({"what": "it"}, "launch"))[0]
    asks = waiting(alice, question("Which tea?"))[0]
    client = Client()
    if who != "gone":
        client.force_login(user)
    page = client.get(f"{QUEUE}{approve.pk}/change/", follow=True).content.decode()
    assert ("What <code>launch</code> does" in page) is sees
    assert (f'data-request="{approve.pk}"' in page) is (sees and decides)
    assert set(decidable_by(User.objects.get(pk=user.pk))) == {
        *([approve] if decides else []),
        *([asks] if answers else []),
    }
    before = list(Event.objects.values_list("seq", "type"))
    if not decides:
        assert refusal is not None
        with pytest.raises(refusal):
            answer(user, str(approve.pk), Approve())
        assert list(Event.objects.values_list("seq", "type")) == before
        client.post(f"{QUEUE}{approve.pk}/change/", {"decision": "approve"})
        posted = {"action": "approve_selected", "confirmed": "yes", "_selected_action": [str(approve.pk)]}
        client.post(QUEUE, {**posted, "index": "0"})
        assert Request.objects.get(pk=approve.pk).state == "open"
    else:
        answer(user, str(approve.pk), Approve())
        assert Request.objects.get(pk=approve.pk).state == "approved"
    if answers:
        answer(user, str(asks.pk), Answer("green"))
        assert Request.objects.get(pk=asks.pk).decided_by == user.username
    else:
        with pytest.raises((Forbidden, NotFound)):
            answer(user, str(asks.pk), Answer("green"))


@pytest.mark.parametrize("role", ["viewer", "editor", "owner"])
def test_where_it_is_governed_so_its_own_editors_decide(alice: User, root: User, role: str) -> None:
    user = somebody(role, alice)
    govern(root, workspace_of(alice), Governance(editors_decide=True))
    request = waiting(alice, approval({}, "launch"))[0]
    if role == "viewer":
        with pytest.raises(Forbidden):
            answer(user, str(request.pk), Approve())
        return
    page = signed_in(user).get(f"/threads/{request.thread_id}/").content.decode()
    assert f'data-request="{request.pk}"' in page
    answer(user, str(request.pk), Approve())
    assert Request.objects.get(pk=request.pk).state == "approved"


def test_another_workspaces_editors_decide_nothing_here(alice: User, root: User) -> None:
    bob = User.objects.create_user("bob")
    govern(root, workspace_of(bob), Governance(editors_decide=True))
    govern(root, workspace_of(alice), Governance(editors_decide=True))
    request = waiting(alice, approval({}, "launch"))[0]
    with pytest.raises(NotFound):
        answer(bob, str(request.pk), Approve())


def test_a_tool_names_the_permission_that_it_needs(alice: User, root: User) -> None:
    govern(root, workspace_of(alice), Governance(editors_decide=True))
    request = waiting(alice, approval({}, "launch", permission=TOOL_PERMISSION))[0]
    reviewer = somebody("reviewer", alice)
    for user in (reviewer, alice):
        with pytest.raises(Forbidden, match="govern_workspaces"):
            answer(user, str(request.pk), Approve())
        assert not decidable_by(user).exists()
    assert str(request.pk) not in signed_in(reviewer).get(QUEUE).content.decode()
    reviewer.user_permissions.add(Permission.objects.get(codename="govern_workspaces"))
    trusted = User.objects.get(pk=reviewer.pk)
    assert list(decidable_by(trusted)) == [request]
    assert str(request.pk) in signed_in(trusted).get(QUEUE).content.decode()
    answer(trusted, str(request.pk), Approve())
    assert Request.objects.get(pk=request.pk).state == "approved"


def test_the_permission_alone_decides_nothing(alice: User) -> None:
    request = waiting(alice, approval({}, "launch", permission=TOOL_PERMISSION))[0]
    with pytest.raises(NotFound):
        answer(staff("eve", "govern_workspaces"), str(request.pk), Approve())


def test_a_permission_that_was_taken_away_meanwhile_is_gone(alice: User) -> None:
    request = waiting(alice, approval({}, "launch"))[0]
    reviewer = staff("reviewer", "decide_approvals")
    assert reviewer.has_perm("threads.decide_approvals")
    User.objects.get(pk=reviewer.pk).user_permissions.clear()
    with pytest.raises(NotFound):
        answer(reviewer, str(request.pk), Approve())


def test_reviewers_are_a_group_from_the_start_and_stay_as_staff_make_it(alice: User) -> None:
    group = Group.objects.get(name="Reviewers")
    assert set(group.permissions.values_list("codename", flat=True)) == {
        "decide_approvals",
        "answer_questions",
    }
    group.permissions.set(group.permissions.filter(codename="answer_questions"))
    emit_post_migrate_signal(verbosity=0, interactive=False, db="default")
    assert list(group.permissions.values_list("codename", flat=True)) == ["answer_questions"]


def test_a_reviewer_from_outside_sees_what_they_need_and_no_more(alice: User) -> None:
    reviewer = signed_in(somebody("reviewer", alice))
    id = document(alice, "Green tea", "It is **steamed**.")
    request = waiting(alice, approval({"artifact": id, "version": 1}), title="A chat")[0]
    page = reviewer.get(f"{QUEUE}{request.pk}/change/").content.decode()
    for words in ("Publish it, please", "<strong>steamed</strong>", "A chat", "alice"):
        assert words in page
    assert reviewer.get(f"/threads/{request.thread_id}/").status_code == 404
    assert reviewer.get(f"/artifacts/{id}/").status_code == 404
    for model in ("thread", "run", "draft", "chunk"):
        assert reviewer.get(f"/admin/threads/{model}/").status_code == 403
    index = reviewer.get("/admin/").content.decode()
    assert "1 approvals wait" in index
    assert "drafts were left" not in index


DEEDS: list[tuple[str, str, str]] = [
    ("run", "stop", "stop_runs"),
    ("draft", "artifact", "settle_drafts"),
    ("draft", "disposal", "settle_drafts"),
    ("workspace", "governance", "govern_workspaces"),
    ("workspace", "membership", "govern_workspaces"),
    ("workspace", "end", "erase_workspaces"),
    ("user", "anonymity", "delete_user"),
]


@pytest.mark.parametrize(("model", "name", "permission"), DEEDS)
def test_each_deed_needs_its_permission(alice: User, model: str, name: str, permission: str) -> None:
    draft = left_draft(alice, {"title": "T", "text": "t"})
    request = waiting(alice, approval({}, "launch"))[0]
    app = {"workspace": "artifacts", "user": "auth"}.get(model, "threads")
    pk: Any = {
        "run": request.run_id,
        "draft": draft.pk,
        "workspace": request.thread.workspace_id,
        "user": alice.pk,
    }[model]
    row, deed = f"/admin/{app}/{model}/{pk}/change/", f"/admin/{app}/{model}/{pk}/deeds/{name}/"
    people = [staff("views", f"view_{model}"), staff("may but sees nothing", permission), alice]
    people.append(User.objects.create_user("stranger"))
    both = signed_in(staff("both", f"view_{model}", permission))
    before = list(Event.objects.values_list("seq", "type"))
    for user in people:
        client = signed_in(user)
        assert client.get(deed).status_code in (302, 403)
        assert client.post(deed, {"name": "x", "username": "alice", "role": "owner"}).status_code in (
            302,
            403,
        )
    assert deed not in signed_in(User.objects.get(username="views")).get(row).content.decode()
    assert list(Event.objects.values_list("seq", "type")) == before
    assert deed in both.get(row).content.decode()
    assert both.get(deed).status_code == 200
