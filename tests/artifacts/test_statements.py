"""The statements that every commit makes do what Django's do."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, models, transaction

from artifacts.models import Artifact, Event, Publication, Receipt, Revision, Workspace
from artifacts.statements import execute, inserting, updating

pytestmark = pytest.mark.django_db

AT = datetime(2026, 1, 2, 3, 4, 5, 678_901, tzinfo=UTC)
DATA = {"title": "É\U0001f680", "deep": [None, 1.5, True, {"a": "%s; --'\""}]}
WHO = {"actor_kind": "user", "actor_id": "7", "actor_name": "Alice"}


def rows() -> list[models.Model]:
    """One of each kind that a commit writes, in an order in which they can be inserted."""
    workspace = Workspace(name="Place", default_mode="edit")
    artifact = Artifact(
        workspace=workspace, kind="document", title="Tea", data=DATA, created_seq=1, changed_by="Alice",
        created_at=AT, changed_at=AT,
    )  # fmt: skip
    revision = Revision(
        pk=1_000,
        artifact=artifact,
        version=1,
        title="Tea",
        whole_version=1,
        snapshot=DATA,
        seq=1,
        at=AT,
        **WHO,
    )
    event = Event(workspace=workspace, seq=2**40, type="said", data=DATA, at=AT, artifact=artifact.pk, **WHO)
    receipt = Receipt(
        workspace=workspace,
        actor_kind="user",
        command_id="c",
        digest="d" * 64,
        outcome={"outcome": "Applied"},
    )
    return [workspace, artifact, revision, event, receipt]


def values(row: models.Model) -> dict[str, Any]:
    """What a row holds, and as what, whatever its key is."""
    kept = [field.attname for field in row._meta.concrete_fields if field is not row._meta.auto_field]
    return {name: (type(getattr(row, name)), getattr(row, name)) for name in kept}


def test_a_row_is_inserted_as_django_would() -> None:
    for row in rows():
        model = type(row)
        execute(inserting(row))
        by_django = model._default_manager.get()
        assert values(by_django) == values(row)


def test_an_update_changes_what_it_names_and_nothing_else_nor_another_row() -> None:
    one, other = Workspace.objects.create(name="One"), Workspace.objects.create(name="Other")
    one.name, one.head = "Changed", 7
    execute(updating(one, "head"))
    assert list(Workspace.objects.order_by("name").values_list("name", "head")) == [("One", 7), ("Other", 0)]
    assert other.head == 0


def test_a_key_of_another_row_is_updated_by_its_column() -> None:
    workspace, artifact, revision, *_ = rows()
    execute(*map(inserting, (workspace, artifact, revision)))
    publication = Publication.objects.create(revision_id=Revision.objects.get().pk, published_at=AT)
    publication.published_by = "Bob"
    execute(updating(publication, "revision_id", "published_by"))
    (found,) = Publication.objects.all()
    assert (found.revision_id, found.published_by) == (publication.revision_id, "Bob")


def test_what_the_database_refuses_is_refused_as_by_django_and_whole() -> None:
    workspace = Workspace.objects.create(name="Place")
    events = [Event(workspace=workspace, seq=1, type="said", at=AT, **WHO) for _ in range(2)]
    with pytest.raises(IntegrityError), transaction.atomic():
        execute(*map(inserting, events))
    assert Event.objects.count() == 0
