"""`log.write`: one change is one transaction with its events, or nothing at all."""

import ast
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from artifacts import announcing, log
from artifacts.core.actors import SYSTEM, Actor
from artifacts.core.envelope import Envelope
from artifacts.core.rejections import Forbidden, NotFound, Rejection
from artifacts.models import Event, Workspace

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place() -> str:
    return str(Workspace.objects.create(name="Place").pk)


@pytest.fixture
def heard(place: str) -> Iterator[list[list[Envelope]]]:
    """What is announced of the place, one list a commit."""
    announcements: list[list[Envelope]] = []
    with announcing.hearing(place, lambda _, events: announcements.append(events)):
        yield announcements


def say(place: str, *words: str, actor: Actor = SYSTEM, **more: Any) -> list[int]:
    """Write an event for each word."""
    return log.write(
        place, actor, lambda entry: [entry.append("said", {"word": word}, **more) for word in words]
    )


def words(place: str) -> list[str]:
    return [event.data["word"] for event in log.read(place).events]


def test_the_events_of_a_workspace_are_numbered_without_a_gap(place: str) -> None:
    assert say(place, "a") == [1]
    assert say(place, "b", "c", "d") == [2, 3, 4]
    assert say(place) == []
    assert say(place, "e") == [5]
    assert [event.seq for event in log.read(place).events] == [1, 2, 3, 4, 5]
    assert log.head(place) == 5


def test_each_workspace_counts_for_itself(place: str) -> None:
    other = str(Workspace.objects.create(name="Other").pk)
    assert (say(place, "a"), say(other, "b"), say(place, "c")) == ([1], [1], [2])


def test_decide_sees_the_head_before_it_and_one_moment(place: str) -> None:
    say(place, "a", "b")

    def decide(entry: log.Entry) -> int:
        entry.append("said", {"word": "c"})
        entry.append("said", {"word": "d"})
        return entry.head

    assert log.write(place, SYSTEM, decide) == 2
    third, fourth = log.read(place, after=2).events
    assert third.at == fourth.at


def test_an_event_is_read_as_it_was_written_and_as_it_was_announced(
    place: str, heard: list[list[Envelope]], django_capture_on_commit_callbacks: Any
) -> None:
    thread, artifact = str(uuid.uuid4()), str(uuid.uuid4())
    data = {"word": "é\U0001f680", "deep": [{"a": None, "b": 1.5}, True]}
    actor = Actor("external", "id", "x" * 300)
    with django_capture_on_commit_callbacks(execute=True):
        log.write(
            place,
            SYSTEM,
            lambda entry: entry.append(
                "said", data, thread=thread, artifact=artifact, about=7, key="k", actor=actor
            ),
        )
    (event,) = log.read(place).events
    assert heard == [[event]]
    assert (event.workspace, event.seq, event.type, event.data) == (place, 1, "said", data)
    assert (event.thread, event.artifact, event.about, event.key) == (thread, artifact, 7, "k")
    assert event.actor == Actor("external", "id", "x" * 200)
    assert event.at.utcoffset() == timedelta(0)


class Broken(Exception):
    pass


@pytest.mark.parametrize("error", [Forbidden("No. Ask."), Broken(), KeyboardInterrupt()], ids=repr)
def test_nothing_is_written_when_decide_raises(
    place: str,
    heard: list[list[Envelope]],
    error: BaseException,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def decide(entry: log.Entry) -> None:
        entry.append("said", {"word": "a"})
        Workspace.objects.filter(pk=place).update(name="Changed")
        raise error

    with django_capture_on_commit_callbacks(execute=True), pytest.raises(type(error)):
        log.write(place, SYSTEM, decide)
    assert words(place) == []
    assert Workspace.objects.get(pk=place).name == "Place"
    assert heard == []
    assert say(place, "b") == [1]


@pytest.mark.parametrize("missing", [str(uuid.UUID(int=4)), "no id", "", "\x00"])
def test_a_workspace_that_is_not_there_is_not_found(missing: str) -> None:
    for unit in (lambda: say(missing, "a"), lambda: log.head(missing), lambda: log.read(missing)):
        with pytest.raises(NotFound):
            unit()


def test_a_key_is_used_once_in_its_workspace(place: str) -> None:
    say(place, "a", key="k")
    with pytest.raises(IntegrityError), transaction.atomic():
        say(place, "b", key="k")
    other = str(Workspace.objects.create(name="Other").pk)
    say(other, "c", key="k")
    say(place, "d")
    say(place, "e")
    assert words(place) == ["a", "d", "e"]


def test_a_retry_finds_what_the_first_try_wrote(place: str) -> None:
    def decide(entry: log.Entry) -> int:
        if earlier := entry.find("k"):
            return earlier.seq
        return entry.append("said", {"word": "once"}, key="k")

    say(place, "before")
    assert [log.write(place, SYSTEM, decide) for _ in range(3)] == [2, 2, 2]
    assert words(place) == ["before", "once"]


def test_find_looks_in_its_own_workspace_only(place: str) -> None:
    say(str(Workspace.objects.create(name="Other").pk), "a", key="k")
    assert log.write(place, SYSTEM, lambda entry: entry.find("k")) is None


# What follows needs real commits.


@pytest.mark.django_db(transaction=True)
def test_it_is_announced_after_the_commit_and_not_before(place: str) -> None:
    seen: list[tuple[bool, int]] = []

    def hear(workspace: str, events: list[Envelope]) -> None:
        seen.append((transaction.get_connection().in_atomic_block, log.head(workspace)))

    with announcing.hearing(place, hear):
        say(place, "a", "b")
    assert seen == [(False, 2)]


@pytest.mark.django_db(transaction=True)
def test_within_another_transaction_it_is_announced_when_that_commits(
    place: str, heard: list[list[Envelope]]
) -> None:
    with transaction.atomic():
        say(place, "a")
        say(place, "b")
        assert heard == []
    assert [[event.seq for event in events] for events in heard] == [[1], [2]]


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_announced(place: str, heard: list[list[Envelope]]) -> None:
    with transaction.atomic():
        say(place, "a")
        transaction.set_rollback(True)
    assert (heard, words(place)) == ([], [])
    assert say(place, "b") == [1]


@pytest.mark.django_db(transaction=True)
def test_a_rejection_within_another_transaction_undoes_only_itself(
    place: str, heard: list[list[Envelope]]
) -> None:
    def refuse(entry: log.Entry) -> None:
        entry.append("said", {"word": "refused"})
        raise Forbidden("No. Ask.")

    with transaction.atomic():
        say(place, "a")
        with pytest.raises(Rejection):
            log.write(place, SYSTEM, refuse)
        say(place, "b")
    assert words(place) == ["a", "b"]
    assert [event.seq for events in heard for event in events] == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_who_hears_badly_keeps_nobody_else_from_hearing(
    place: str, heard: list[list[Envelope]], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(workspace: str, events: list[Envelope]) -> None:
        raise Broken

    others: list[int] = []
    with (
        announcing.hearing(place, fail),
        announcing.hearing(place, lambda _, events: others.append(len(events))),
        announcing.hearing(announcing.EVERY_WORKSPACE, lambda _, events: others.append(len(events))),
    ):
        say(place, "a")
    assert (len(heard), others) == (1, [1, 1])
    assert "Broken" in caplog.text


ANONYMISING = ("artifacts/anonymising.py", "threads/turns/forgetting.py")
"""They take names out of events, and nothing else: ADR 11."""


def test_only_log_write_inserts_events() -> None:
    inserting = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for app in ("artifacts", "threads", "artifactr_site")
        for path in (ROOT / app).rglob("*.py")
        if "migrations" not in path.parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and makes_events(node)
    }
    renaming = {where for where in inserting if where.startswith(ANONYMISING)}
    assert {where.split(":")[0] for where in inserting - renaming} == {"artifacts/log.py"}
    assert len(inserting - renaming) == 1  # whoever inserts an event has to make it first
    assert renaming


def makes_events(node: ast.Call) -> bool:
    """Whether this is `Event(...)`, or a write through `Event.objects` or the related name `events`."""
    called = ast.unparse(node.func)
    writes = ("create", "bulk_create", "get_or_create", "update_or_create", "update", "delete", "bulk_update")
    inserts = called.endswith(writes) and any(
        manager in called for manager in ("Event.objects", ".events.", "Event._default_manager")
    )
    return called in ("Event", "models.Event") or inserts


def test_the_search_for_inserts_finds_them() -> None:
    for line in (
        "Event(seq=1).save()",
        "Event.objects.create(seq=1)",
        "Event.objects.filter(seq=1).update(seq=2)",
        "workspace.events.create(seq=1)",
    ):
        calls = [node for node in ast.walk(ast.parse(line)) if isinstance(node, ast.Call)]
        assert any(makes_events(call) for call in calls), line
    assert Event.objects.count() == 0
