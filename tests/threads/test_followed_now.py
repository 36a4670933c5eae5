"""What the agent has before it is as it is at the request, though most of it was read as the turn began."""

import asyncio
from typing import Any

import pytest
from django.contrib.auth.models import User

from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.patches import WholeText
from artifacts.handle import Handle
from tests.kit import Room, Script, playing, prompts, running, say
from threads.agent import runner
from threads.agent.session import begin
from threads.turns import follow_artifact

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def sent(alice: User, monkeypatch: pytest.MonkeyPatch, *, changed: bool) -> str:
    """What a turn's first request says, if its document is or is not changed between the claim and it."""
    room = Room.open(alice)
    hands = Handle.for_user(alice, room.workspace)
    document = hands.commit(CreateArtifact("document", {"title": "Tea", "text": "Tea is green."})).artifact
    follow_artifact(alice, room.id, document)

    def begins(*arguments: Any) -> Any:
        begun = begin(*arguments)
        if begun is not None and changed:
            hands.commit(EditArtifact(document, 1, WholeText("Tea is black.")))
        return begun

    monkeypatch.setattr(runner, "begin", begins)
    script = Script(say("yes"))

    async def story() -> None:
        async with running():
            await room.say("look")
            await room.until("idle")

    with playing(script):
        asyncio.run(story())
    return "\n".join(prompts(script.requests[0]))


def test_a_change_after_the_claim_is_in_the_first_request(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = sent(alice, monkeypatch, changed=True)
    assert "Tea is black." in found
    assert 'version="2"' in found


def test_what_nobody_changed_is_as_it_was_read_with_the_claim(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Tea is green." in sent(alice, monkeypatch, changed=False)
