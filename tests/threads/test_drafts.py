"""Drafts: shown and stored while they are written, superseded by what is committed, left by runs that failed."""

import asyncio
import random

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from artifacts.core.commands import CreateArtifact
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.models import Artifact
from tests.kit import Gate, Room, Script, Step, call, playing, running, say
from tests.promises import check_thread
from tests.shares import share
from tests.threads import writing
from tests.threads.rounds import Round
from threads.agent.assistant import assistant
from threads.live import hub
from threads.models import Draft
from threads.turns import stop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def play(alice: User, then: str, **arguments: str) -> tuple[Room, list[Draft]]:
    """One message, for which the tool `write` is called: its room and drafts."""
    room = Room.open(alice)

    async def story() -> None:
        async with running():
            await room.say("go")
            await room.until("idle")

    with playing(Script(call("write", then=then, **arguments), say("done"))):
        settings.ARTIFACTR_TOOLSETS = [*settings.ARTIFACTR_TOOLSETS, writing.TOOLS]
        assistant.cache_clear()
        asyncio.run(story())
    check_thread(room.id)
    return room, list(Draft.objects.filter(thread_id=room.id))


def test_what_a_tool_commits_takes_the_place_of_its_draft(alice: User) -> None:
    _, drafts = play(alice, "commit")
    assert {draft.state for draft in drafts} <= {"superseded"}


def test_a_tool_that_breaks_leaves_all_that_it_wrote(alice: User) -> None:
    _, [draft] = play(alice, "break")
    assert (draft.state, draft.kind, draft.title, draft.artifact_id) == ("left", "document", "Tea", None)
    assert draft.data["text"].startswith("Green tea")


def test_a_draft_knows_the_artifact_that_it_is_to_change(alice: User) -> None:
    hands = Handle.for_user(alice, str(alice.memberships.get().workspace_id))
    artifact = hands.commit(CreateArtifact("document", {"title": "Tea"})).artifact
    _, [draft] = play(alice, "break", artifact=artifact)
    assert str(draft.artifact_id) == artifact


@pytest.mark.parametrize("artifact", ["nonsense", "00000000-0000-4000-8000-000000000000", "\x00"])
def test_a_draft_of_an_artifact_that_there_is_not_is_kept_without_it(alice: User, artifact: str) -> None:
    _, [draft] = play(alice, "break", artifact=artifact)
    assert (draft.state, draft.artifact_id) == ("left", None)


def test_a_draft_of_a_kind_that_there_is_not_is_none(alice: User) -> None:
    _, drafts = play(alice, "commit", kind="poem")
    assert drafts == []


def test_a_draft_is_seen_while_it_is_written_and_left_by_a_stop(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, gate = Room.open(alice), Gate()
    monkeypatch.setattr(writing, "gates", [gate])

    async def story() -> None:
        async with running():
            await room.say("go")
            await gate.reached.wait()
            async with asyncio.timeout(10):
                while not [part for part in shown(room) if part.startswith("Green tea")]:
                    await asyncio.sleep(0.002)
            await in_database(stop, alice, room.id)
            await room.until("idle")
        assert hub.get(room.id) is None

    with playing(Script(call("write", then="nothing"))):
        settings.ARTIFACTR_TOOLSETS = [*settings.ARTIFACTR_TOOLSETS, writing.TOOLS]
        assistant.cache_clear()
        asyncio.run(story())
    [draft] = Draft.objects.filter(thread_id=room.id)
    assert draft.state == "left"
    assert draft.data["text"].startswith("Green tea")


def shown(room: Room) -> list[str]:
    """The drafts that a page shows now."""
    run = hub.get(room.id)
    return [part.draft["text"] for part in run.parts.values() if part.draft] if run else []


class Stepped(Round):
    steps_through = True


@pytest.mark.stress
def test_a_stop_at_any_await_leaves_no_draft_of_what_is_committed(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[Step] = [
        call("create_artifact", kind="document", data={"title": "T", "text": "word " * 9}),
        say("done"),
    ]
    points = list(range(Stepped(alice, steps, monkeypatch).play({}).count))
    random.Random(1).shuffle(points)
    left = 0
    for point in points[: share(len(points), 12)]:
        round = Stepped(alice, steps, monkeypatch)
        before = Artifact.objects.count()
        round.play({point: round.stop})
        drafts = Draft.objects.filter(thread_id=round.room.id, state="left").count()
        assert drafts + Artifact.objects.count() - before <= 1, f"stopped at {point}"
        left += drafts
    print(f"{left} of {len(points)} stops left a draft")
