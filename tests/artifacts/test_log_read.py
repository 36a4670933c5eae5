"""`log.read`: windows of the log, whole or of a thread and some artifacts."""

import uuid
from typing import Any

import pytest

from artifacts import log
from artifacts.core.actors import SYSTEM
from artifacts.models import Workspace

pytestmark = pytest.mark.django_db

THREAD, OTHER_THREAD, NOTES, LIST = (str(uuid.UUID(int=number)) for number in range(1, 5))


@pytest.fixture
def place() -> str:
    """Nine events: of a thread, of another, of two artifacts, of both, and of nothing."""
    place = str(Workspace.objects.create(name="Place").pk)
    other = str(Workspace.objects.create(name="Other").pk)

    def decide(entry: log.Entry) -> None:
        entry.append("e", {})
        entry.append("e", {}, thread=THREAD)
        entry.append("e", {}, thread=OTHER_THREAD)
        entry.append("e", {}, artifact=NOTES)
        entry.append("e", {}, artifact=LIST)
        entry.append("e", {}, thread=THREAD, artifact=NOTES)
        entry.append("e", {}, thread=OTHER_THREAD, artifact=NOTES)
        entry.append("e", {}, thread=THREAD)
        entry.append("e", {})

    log.write(place, SYSTEM, decide)
    log.write(other, SYSTEM, decide)
    return place


@pytest.mark.parametrize(
    ("asked", "seqs", "head"),
    [
        ({}, [1, 2, 3, 4, 5, 6, 7, 8, 9], 9),
        ({"after": 0}, [1, 2, 3, 4, 5, 6, 7, 8, 9], 9),
        ({"after": 7}, [8, 9], 9),
        ({"after": 9}, [], 9),
        ({"after": 12}, [], 12),
        ({"limit": 2}, [1, 2], 2),
        ({"limit": 9}, [1, 2, 3, 4, 5, 6, 7, 8, 9], 9),
        ({"after": 7, "limit": 1}, [8], 8),
        ({"thread": THREAD}, [2, 6, 8], 9),
        ({"thread": THREAD, "limit": 2}, [2, 6], 6),
        ({"thread": THREAD, "after": 2, "limit": 2}, [6, 8], 8),
        ({"thread": THREAD, "after": 8}, [], 9),
        ({"artifacts": [NOTES]}, [4, 6, 7], 9),
        ({"artifacts": [NOTES, LIST]}, [4, 5, 6, 7], 9),
        ({"artifacts": {NOTES}, "after": 4}, [6, 7], 9),
        ({"thread": THREAD, "artifacts": [NOTES]}, [2, 4, 6, 7, 8], 9),
        ({"thread": THREAD, "artifacts": []}, [2, 6, 8], 9),
        ({"thread": str(uuid.UUID(int=9))}, [], 9),
    ],
)
def test_a_window_holds_what_was_asked_for_and_says_how_far_it_goes(
    place: str, asked: dict[str, Any], seqs: list[int], head: int
) -> None:
    window = log.read(place, **asked)
    assert ([event.seq for event in window.events], window.head) == (seqs, head)


@pytest.mark.parametrize("asked", [{}, {"thread": THREAD}, {"thread": THREAD, "artifacts": [NOTES]}])
def test_windows_of_any_size_add_up_to_the_whole(place: str, asked: dict[str, Any]) -> None:
    whole = [event.seq for event in log.read(place, **asked).events]
    for limit in range(1, 10):
        position, read = 0, []
        while position < 9:
            window = log.read(place, after=position, limit=limit, **asked)
            read += [event.seq for event in window.events]
            assert window.head > position
            position = window.head
        assert read == whole


@pytest.mark.parametrize("asked", [{}, {"thread": THREAD}])
def test_a_commit_between_the_head_and_the_rows_is_left_to_the_next_read(
    place: str, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = log.head

    def overtaken(workspace: str) -> int:
        found = head(workspace)
        monkeypatch.setattr(log, "head", head)
        log.write(place, SYSTEM, lambda entry: entry.append("late", {}, thread=THREAD))
        return found

    monkeypatch.setattr(log, "head", overtaken)
    window = log.read(place, **asked)
    assert window.head == 9
    assert "late" not in [event.type for event in window.events]
    assert [event.type for event in log.read(place, after=window.head, **asked).events] == ["late"]
