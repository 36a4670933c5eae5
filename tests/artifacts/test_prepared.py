"""Prepared queries find what Django's find, however often they are asked."""

import uuid
from datetime import UTC, date, datetime

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import DateField, Exists, OuterRef, Subquery
from django.test.utils import CaptureQueriesContext

from artifacts.members import found_workspace
from artifacts.models import Event, Membership, Workspace
from artifacts.prepared import Given, Prepared, given_id, given_number

pytestmark = pytest.mark.django_db

AT = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
DATA = {"deep": [None, 1.5, {"a": "%s"}]}


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


@pytest.fixture
def workspace(alice: User) -> str:
    return str(found_workspace(alice, "Place").pk)


def written(workspace: str, *seqs: int) -> None:
    Event.objects.bulk_create(
        Event(
            workspace_id=workspace,
            seq=seq,
            type="said",
            data=DATA,
            actor_kind="user",
            actor_name="Alice",
            at=AT,
        )
        for seq in seqs
    )


def test_it_reads_instances_as_django_does(workspace: str) -> None:
    written(workspace, 7, 8, 9)
    between = Prepared(
        lambda: Event.objects.filter(
            workspace=given_id("workspace"), type="said", seq__gt=given_number("after")
        )
    )
    for after in (6, 7, 9):
        ours = between.rows(workspace=workspace, after=after)
        theirs = list(Event.objects.filter(workspace_id=workspace, type="said", seq__gt=after))
        assert [row.envelope() for row in ours] == [row.envelope() for row in theirs]
        assert ours == theirs


def test_it_is_compiled_once_and_asks_once_each_time(workspace: str) -> None:
    asked: list[None] = []

    def query() -> "object":
        asked.append(None)
        return Event.objects.filter(workspace=given_id("workspace"))

    prepared = Prepared(query)  # type: ignore[arg-type,var-annotated]  # a query that counts
    with CaptureQueriesContext(connection) as queries:
        prepared.rows(workspace=workspace)
        prepared.rows(workspace=uuid.UUID(workspace))
    assert (len(asked), len(queries)) == (1, 2)


def test_what_a_row_refers_to_comes_with_it(alice: User, workspace: str) -> None:
    prepared = Prepared(
        lambda: Membership.objects.filter(
            workspace=given_id("workspace"), user=given_number("user")
        ).select_related("workspace", "user")
    )
    with CaptureQueriesContext(connection) as queries:
        [found] = prepared.rows(workspace=workspace, user=alice.pk)
        assert (found.workspace.name, found.user.username) == ("Place", "alice")
    assert len(queries) == 1


def test_values_come_in_the_order_in_which_they_were_asked_for(alice: User, workspace: str) -> None:
    def members() -> "object":
        own = Membership.objects.filter(workspace=OuterRef("pk"), user=given_number("user"))
        rows = Workspace.objects.annotate(mine=Exists(own), role=Subquery(own.values("role")))
        return rows.filter(pk=given_id("workspace")).values_list("role", "name", "mine", "pk")

    prepared = Prepared(members)  # type: ignore[arg-type,var-annotated]  # the stubs do not know annotations by name
    assert prepared.first(user=alice.pk, workspace=workspace) == (
        "owner",
        "Place",
        True,
        uuid.UUID(workspace),
    )
    assert prepared.first(user=0, workspace=workspace) == (None, "Place", False, uuid.UUID(workspace))


def test_a_single_column_is_not_wrapped(workspace: str) -> None:
    names = Prepared(lambda: Workspace.objects.filter(pk=given_id("id")).values_list("name", flat=True))
    assert names.rows(id=workspace) == ["Place"]
    assert names.first(id=uuid.uuid4()) is None


def test_a_row_is_locked_where_the_database_has_such_locks(workspace: str) -> None:
    locked = Prepared(lambda: Workspace.objects.filter(pk=given_id("id")).select_for_update())
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        assert str(locked.rows(id=workspace)[0].pk) == workspace
    assert ("FOR UPDATE" in queries[0]["sql"]) == connection.features.has_select_for_update


def test_other_fields_store_their_values_too(workspace: str) -> None:
    days = Prepared(
        lambda: Event.objects.filter(at__date=Given("day", DateField())).values_list("seq", flat=True)
    )
    written(workspace, 7)
    assert days.rows(day=AT.date()) == [7]
    assert days.rows(day=date(2020, 1, 1)) == []


def test_what_no_column_can_hold_is_refused(workspace: str) -> None:
    prepared = Prepared(
        lambda: Membership.objects.filter(workspace=given_id("workspace"), user=given_number("user"))
    )
    with pytest.raises(ValidationError):
        prepared.rows(workspace="none", user=1)
    with pytest.raises(ValueError, match="expected a number"):
        prepared.rows(workspace=workspace, user="none")
