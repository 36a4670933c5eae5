"""Accounts and workspaces in the admin: deactivated, anonymised, governed, deleted; and what is left of them."""

import asyncio
import json
import uuid
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import models
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from artifacts import members
from artifacts.anonymising import ALIAS
from artifacts.core.commands import EditArtifact, ProposeChange, PublishArtifact, Reject, RespondToProposal
from artifacts.core.patches import WholeText
from artifacts.core.rejections import Forbidden, Invalid, NotFound
from artifacts.database import in_database
from artifacts.governing import Governance, erase, govern
from artifacts.handle import Handle
from artifacts.models import Artifact, Event, Membership, Proposal, Workspace
from tests.kit import Gate, Room, Script, call, playing, running, say
from tests.threads.admin.asking import (
    approval,
    document,
    left_draft,
    signed_in,
    staff,
    thread,
    waiting,
    workspace_of,
)
from threads.core.decisions import Approve
from threads.core.rejections import DayUsedUp
from threads.models import Chunk, Day, Request, Run, Thread
from threads.turns import anonymise, answer, create_thread, discard_draft, post
from threads.turns.claiming import claim
from threads.turns.saving import Turn, Write, save
from threads.turns.writing import ClaimLost

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice", first_name="Alice", email="alice@example.org")


@pytest.fixture
def bob(alice: User) -> User:
    """An editor of Alice's workspace."""
    bob = User.objects.create_user("bob", first_name="Bobby", last_name="Tables", email="bob@example.org")
    members.add_member(alice, workspace_of(alice), bob, "editor")
    return bob


@pytest.fixture
def root() -> User:
    return User.objects.create_superuser("root")


@pytest.fixture
def admin(root: User) -> Client:
    return signed_in(root)


def account(user: User, **changed: Any) -> dict[str, Any]:
    """What Django's page of an account posts."""
    joined = timezone.localtime(user.date_joined)
    fields = {
        "username": user.username,
        "first_name": user.first_name,
        "last_name": user.last_name,
        "email": user.email,
        "is_active": "on",
        "date_joined_0": joined.date().isoformat(),
        "date_joined_1": joined.time().isoformat(),
        **changed,
    }
    return {name: value for name, value in fields.items() if value is not None}


def do(client: Client, address: str, **fields: Any) -> HttpResponse:
    return client.post(address, fields)  # type: ignore[return-value]


def test_deactivating_ends_what_runs_and_what_was_about_to(admin: Client, alice: User, bob: User) -> None:
    home = workspace_of(alice)
    mine = waiting(alice, approval({}, "launch"))[0]
    theirs = create_thread(bob, home, "Bob's")
    post(bob, str(theirs.pk), uuid.uuid4().hex, "Begin")
    own = waiting(bob, approval({}, "launch"))[0]
    response = do(admin, f"/admin/auth/user/{bob.pk}/change/", **account(bob, is_active=None))
    assert response.status_code == 302
    assert not User.objects.get(pk=bob.pk).is_active
    assert Run.objects.get(pk=own.run_id).status == "stopped"
    assert Request.objects.get(pk=own.pk).state == "closed"
    assert Run.objects.get(pk=mine.run_id).status == "paused"
    assert claim(str(theirs.pk), str(uuid.uuid4()), "test") is None
    assert [event.actor_name for event in Event.objects.filter(type="message_withdrawn")] == ["root"]
    assert "1 run ended" in admin.get("/admin/auth/user/").content.decode()


def test_saving_an_account_otherwise_ends_nothing(admin: Client, alice: User) -> None:
    own = waiting(alice, approval({}, "launch"))[0]
    do(admin, f"/admin/auth/user/{alice.pk}/change/", **account(alice, first_name="Alicia"))
    assert User.objects.get(pk=alice.pk).first_name == "Alicia"
    assert Run.objects.get(pk=own.run_id).status == "paused"


def test_a_run_in_the_middle_of_a_tool_is_ended_too(admin: Client, alice: User) -> None:
    room, gate = Room.open(alice), Gate()

    async def story() -> None:
        async with running():
            await room.say("Begin")
            await gate.reached.wait()
            address = f"/admin/auth/user/{alice.pk}/change/"
            await in_database(lambda: do(admin, address, **account(alice, is_active=None)))
            await room.until("idle")

    with playing(Script(call("note", text="milk"), call("note", text="honey")), milk=gate) as runs:
        asyncio.run(story())
        assert runs == ["milk"]
    assert Run.objects.get(thread_id=room.id).status == "stopped"
    assert Thread.objects.get(pk=room.id).claim is None


def everything() -> str:
    """All that is stored anywhere, as text."""
    found = []
    for model in apps.get_models():
        for row in model._default_manager.all():
            for field in model._meta.concrete_fields:
                value = field.value_from_object(row)
                text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
                found.append(f"{model.__name__}.{field.name}: {text}")
    return "\n".join(found)


def busy(alice: User, bob: User) -> None:
    """Bob does all that there is to do, in Alice's workspace."""
    home = workspace_of(alice)
    bob.user_permissions.set([*staff("tmp", "decide_approvals", "settle_drafts").user_permissions.all()])
    bob = User.objects.get(pk=bob.pk)
    id = document(alice)
    handle, other = Handle.for_user(bob, home), Handle.for_user(alice, home)
    handle.commit(EditArtifact(id, 1, WholeText("Tea is black.")))
    handle.commit(PublishArtifact(id, 2))
    handle.commit(ProposeChange(id, 2, WholeText("Tea is red."), "redder"))
    theirs = other.commit(ProposeChange(id, 2, WholeText("Tea is blue."), "bluer"))
    handle.commit(RespondToProposal(theirs.proposal, Reject("no")))
    answer(bob, str(waiting(alice, approval({}, "launch"))[0].pk), Approve())
    discard_draft(bob, left_draft(alice, {"title": "T", "text": "t"}).pk)
    made = create_thread(bob, home, "A chat")
    post(bob, str(made.pk), uuid.uuid4().hex, "Begin")
    assert claim(str(made.pk), str(uuid.uuid4()), "test") is not None


def test_anonymised_the_name_is_gone_and_the_work_is_not(admin: Client, alice: User, bob: User) -> None:
    busy(alice, bob)
    home = workspace_of(alice)
    seqs = list(Event.objects.filter(workspace_id=home).order_by("seq").values_list("seq", "type", "at"))
    address = f"/admin/auth/user/{bob.pk}/deeds/anonymity/"
    assert "deleted with everything in it, since nobody could enter it" in admin.get(address).content.decode()
    assert do(admin, address, username="bobby").status_code == 422
    assert "Bobby Tables" in everything()
    assert do(admin, address, username="bob").status_code == 302
    left = [line for line in everything().splitlines() if "Bobby" in line or "bob@" in line]
    assert left == []
    gone = User.objects.get(pk=bob.pk)
    assert (gone.is_active, gone.has_usable_password(), gone.username) == (False, False, f"former-{bob.pk}")
    assert not Membership.objects.filter(user=bob).exists()
    assert Artifact.objects.get(workspace_id=home, title="Tea").data["text"] == "Tea is black."
    assert Proposal.objects.get(summary="redder").actor_name == ALIAS
    rows = Event.objects.filter(workspace_id=home).order_by("seq").values_list("seq", "type", "at")
    assert list(rows)[: len(seqs)] == seqs
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    assert f'<message author=\\"{ALIAS}\\">' in "".join(Chunk.objects.values_list("messages", flat=True))
    assert Workspace.objects.count() == Membership.objects.values("workspace").distinct().count()
    assert not Run.objects.filter(user=bob, ended_at=None, stop_seq=None).exists()


def test_the_only_owner_among_others_is_not_anonymised(root: User, alice: User, bob: User) -> None:
    before = everything()
    with pytest.raises(Invalid, match="only owner"):
        anonymise(root, alice.pk)
    assert everything() == before
    home = workspace_of(alice)
    members.add_member(alice, home, bob, "owner")
    anonymise(root, alice.pk)
    assert members.role_of(bob.pk, home) == "owner"


def test_who_may_not_anonymise(root: User, alice: User) -> None:
    eve = staff("eve", "delete_user")
    for who, whom in ((alice, eve), (eve, eve), (eve, root), (staff("tom", "change_user"), alice)):
        with pytest.raises(Forbidden):
            anonymise(who, whom.pk)
    with pytest.raises(NotFound):
        anonymise(eve, 10_000)


def test_a_workspace_is_governed(admin: Client, root: User, alice: User) -> None:
    home = workspace_of(alice)
    address = f"/admin/artifacts/workspace/{home}/deeds/governance/"
    fields = {"default_mode": "suggest", "tokens_a_day": "100", "editors_decide": "on"}
    assert do(admin, address, **fields).status_code == 302
    place = Workspace.objects.get(pk=home)
    assert (place.default_mode, place.tokens_a_day, place.editors_decide) == ("suggest", 100, True)
    event = Event.objects.get(type="workspace_governed")
    assert event.data == {"default_mode": "suggest", "tokens_a_day": 100, "editors_decide": True}
    assert create_thread(alice, home).mode == "suggest"
    assert 'value="100"' in admin.get(address).content.decode()
    do(admin, address, **fields)
    assert Event.objects.filter(type="workspace_governed").count() == 1
    assert do(admin, address, **{**fields, "tokens_a_day": "-1"}).status_code == 422
    assert do(admin, address, **{**fields, "default_mode": "anything"}).status_code == 422
    for wrong in (Governance("anything"), Governance(tokens_a_day=-1), Governance(tokens_a_day=10**13)):
        with pytest.raises(Invalid):
            govern(root, home, wrong)
    assert Workspace.objects.get(pk=home).tokens_a_day == 100
    with pytest.raises(Forbidden):
        govern(alice, home, Governance())


def test_a_workspaces_own_limit_holds(root: User, alice: User) -> None:
    home = workspace_of(alice)
    govern(root, home, Governance(tokens_a_day=10))
    made = create_thread(alice, home)
    Day.objects.create(workspace_id=home, date=timezone.now().date(), tokens=10)
    with pytest.raises(DayUsedUp):
        post(alice, str(made.pk), "a", "Begin")
    govern(root, home, Governance(tokens_a_day=11))
    post(alice, str(made.pk), "b", "Begin")
    claimed = claim(str(made.pk), str(uuid.uuid4()), "test")
    assert claimed is not None
    assert claimed.tokens_a_day == 11


def test_members_are_added_changed_and_removed(admin: Client, alice: User) -> None:
    home, dora = workspace_of(alice), User.objects.create_user("dora")
    add = f"/admin/artifacts/workspace/{home}/deeds/membership/"
    assert do(admin, add, username="nobody", role="editor").status_code == 422
    assert do(admin, add, username="dora", role="editor").status_code == 302
    member = Membership.objects.get(user=dora, workspace_id=home)
    row = f"/admin/artifacts/membership/{member.pk}/"
    assert do(admin, f"{row}deeds/role/", role="viewer").status_code == 302
    assert Membership.objects.get(pk=member.pk).role == "viewer"
    assert "the role was changed (<a" in admin.get(f"{row}history/").content.decode()
    assert do(admin, f"{row}deeds/removal/").status_code == 302
    assert not Membership.objects.filter(pk=member.pk).exists()
    own = Membership.objects.get(user=alice, workspace_id=home)
    last = do(admin, f"/admin/artifacts/membership/{own.pk}/deeds/removal/")
    assert last.status_code == 422
    assert "keeps at least one owner" in last.content.decode()
    types = Event.objects.filter(workspace_id=home, type__startswith="member", actor_name="root").order_by(
        "seq"
    )
    assert list(types.values_list("type", flat=True)) == ["member_joined", "member_changed", "member_left"]


def test_usage_by_day_is_on_the_workspaces_page(admin: Client, alice: User) -> None:
    Day.objects.create(workspace_id=workspace_of(alice), date=timezone.now().date(), tokens=123_456)
    page = admin.get(f"/admin/artifacts/workspace/{workspace_of(alice)}/change/").content.decode()
    assert "123456" in page.replace(",", "")


def references(home: str) -> list[str]:
    """Where anything still names a workspace, or what was in it."""
    found = []
    for model in apps.get_models():
        if model._meta.app_label not in ("artifacts", "threads"):
            continue
        for field in model._meta.concrete_fields:
            if isinstance(field, models.ForeignKey) and field.related_model is not User:
                there = set(field.related_model._default_manager.values_list("pk", flat=True))
                named = model._default_manager.values_list(f"{field.name}_id", flat=True)
                gone = [value for value in named if value and value not in there]
                found += [f"{model.__name__}.{field.name}"] * len(gone)
    found += [f"event {event.pk}" for event in Event.objects.filter(workspace_id=home)]
    return found


def test_a_deleted_workspace_leaves_no_orphan_and_no_claim(
    admin: Client, root: User, alice: User, bob: User
) -> None:
    busy(alice, bob)
    home = workspace_of(alice)
    theirs = workspace_of(bob)
    held = [thread for thread in Thread.objects.filter(workspace_id=home) if thread.claim]
    assert held
    address = f"/admin/artifacts/workspace/{home}/deeds/end/"
    assert "is deleted with everything in it: 2 members, 1 artifacts" in admin.get(address).content.decode()
    assert do(admin, address, name="something else").status_code == 422
    assert Workspace.objects.filter(pk=home).exists()
    with pytest.raises(Forbidden):
        erase(alice, home, "Alice’s workspace")
    assert do(admin, address, name="Alice’s workspace").status_code == 302
    assert references(home) == []
    assert list(
        Workspace.objects.filter(memberships__user__in=(alice, bob)).values_list("pk", flat=True)
    ) == [uuid.UUID(theirs)]
    assert not Thread.objects.filter(pk__in=[thread.pk for thread in held]).exists()
    assert not Thread.objects.exclude(claim=None).exists()
    assert do(admin, address, name="Alice’s workspace").status_code == 404
    assert signed_in(alice).get("/", follow=True).status_code == 200


def test_a_turn_whose_workspace_is_deleted_loses_its_claim(root: User, alice: User) -> None:
    made = thread(alice)
    claimed = claim(str(made.pk), str(uuid.uuid4()), "test")
    assert claimed is not None
    erase(root, workspace_of(alice), "Alice’s workspace")
    with pytest.raises(ClaimLost):
        save(Turn(claimed), [Write("1", [])])


def test_a_run_whose_workspace_is_deleted_ends_and_touches_nothing(root: User, alice: User) -> None:
    room, gate = Room.open(alice), Gate()

    async def story() -> None:
        async with running() as runner:
            await room.say("Begin")
            await gate.reached.wait()
            await in_database(erase, root, room.workspace, "Alice’s workspace")
            gate.open()
            async with asyncio.timeout(20):
                while runner._turns:
                    await asyncio.sleep(0.05)

    with playing(
        Script(call("note", text="milk"), call("note", text="honey"), say("done")), milk=gate
    ) as runs:
        asyncio.run(story())
        assert runs == ["milk"]
    assert references(room.workspace) == []
