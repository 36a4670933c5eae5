"""Every case of `cases.py`, on the real database: its events and its rows, or its refusal and nothing else."""

import dataclasses
import uuid
from collections.abc import Callable
from typing import Any, cast

import pytest
from django.contrib.auth.models import User

from artifacts import log
from artifacts.core.actors import agent_actor
from artifacts.core.commands import Command
from artifacts.core.outcomes import Applied, Outcome, Proposed, Recorded
from artifacts.core.rejections import Rejection
from artifacts.handle import Handle
from artifacts.models import Artifact, Event, Proposal, Publication, Receipt, Revision, Workspace
from tests.artifacts.cases import CASES, Case

pytestmark = pytest.mark.django_db

THREAD = str(uuid.UUID(int=7))


@pytest.fixture
def hands(workspace: str, alice: User, bob: User, vera: User, charlie: User) -> Callable[[str], Handle]:
    """The handle of whoever a case names."""
    people = {"alice": alice, "bob": bob, "vera": vera, "charlie": charlie}

    def of(who: str) -> Handle:
        if who in people:
            return Handle.for_user(people[who], workspace)
        return Handle(
            workspace, agent_actor(THREAD), lambda: None, THREAD, suggests=lambda: who == "suggesting"
        )

    return of


def with_ids(command: Command, made: list[Outcome]) -> Command:
    """The command with the ids that stand for what was made before."""
    artifacts = dict.fromkeys(one.artifact for one in made if isinstance(one, Applied))
    ids = dict(zip(("{it}", "{plan}"), artifacts, strict=False))
    for one in made:
        if isinstance(one, Proposed):
            ids["{idea}"] = one.proposal
        elif isinstance(one, Applied) and one.publication:
            ids["{page}"] = one.publication
    fields = {field.name: getattr(command, field.name) for field in dataclasses.fields(command)}
    found = {name: ids[value] for name, value in fields.items() if isinstance(value, str) and value in ids}
    return cast(Command, dataclasses.replace(cast(Any, command), **found))


def everything() -> list[Any]:
    models = (Artifact, Revision, Publication, Proposal, Receipt, Event, Workspace)
    return [list(model._default_manager.order_by("pk").values()) for model in models]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case(case: Case, hands: Callable[[str], Handle], workspace: str) -> None:
    made: list[Outcome] = []
    for who, step in case.given:
        made.append(hands(who).commit(with_ids(step, made)))
    command = with_ids(case.command, made)
    head, before = log.head(workspace), everything()
    if case.refusal is not None:
        with pytest.raises(Rejection) as refused:
            hands(case.who).commit(command)
        assert (refused.value.code, refused.value.details) == case.refusal
        assert everything() == before
        return
    outcome = hands(case.who).commit(command)
    events = log.read(workspace, after=head).events
    assert outcome.seq == log.head(workspace) == head + len(case.events)
    assert [event.type for event in events] == [type for type, _ in case.events]
    for event, (_, said) in zip(events, case.events, strict=True):
        assert {name: event.data.get(name) for name in said} == said
    check_rows(case, outcome, made)
    if not case.events:
        assert everything() == before


def check_rows(case: Case, outcome: Outcome, made: list[Outcome]) -> None:
    """The rows that the outcome names, or that were made before, hold what the case says."""
    rows: dict[str, Any] = {}
    if not isinstance(outcome, Recorded):
        rows["artifact"] = Artifact.objects.get(pk=outcome.artifact)
    rows["proposal"] = Proposal.objects.first()
    for name, wanted in case.rows.items():
        assert {column: getattr(rows[name], column) for column in wanted} == wanted
    if isinstance(outcome, Applied) and outcome.version == rows["artifact"].version:
        revision = Revision.objects.get(artifact=rows["artifact"], version=outcome.version)
        assert revision.data == rows["artifact"].data


def test_every_command_and_every_code_has_a_case() -> None:
    from artifacts.changing import CHANGES

    assert {type(case.command) for case in CASES} == set(CHANGES)
    codes = {case.refusal[0] for case in CASES if case.refusal}
    assert codes >= {
        "not_found",
        "forbidden",
        "invalid",
        "version_conflict",
        "patch_failed",
        "archived",
        "too_large",
    }
    assert codes >= {"already_decided", "out_of_date"}
