"""The story of a thread over the Runner alone, with a scripted model."""

import asyncio

import pytest
from django.contrib.auth.models import User

from artifacts.core.commands import EditArtifact
from artifacts.core.patches import Passage
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.models import Artifact, Publication
from tests.kit import Gate, Room, Script, ask, call, playing, prompts, running, say
from tests.promises import check_log, check_thread
from threads.core.decisions import Answer, Approve
from threads.turns import answer, stop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def test_a_thread_from_its_first_message_to_a_publication(alice: User) -> None:
    gate = Gate()
    script = Script(
        say("I am a script"),
        call("create_artifact", kind="document", data={"title": "Tea", "text": "Tea is green."}),
        say("written"),
        say("I saw it"),
        [say("first I note", gate), call("note", text="one")],
        say("you steered me"),
        ask("Which?", "green", "black"),
        say("thank you"),
        call("publish_artifact", artifact="", version=2),
        say("published"),
        say("a long answer that is stopped", stopped := Gate()),
    )

    async def story() -> None:
        room = await Room.opened(alice)
        async with running():
            await room.say("hello")
            await room.until("idle")
            await room.say("write")
            await room.until("idle")
            document = await in_database(Artifact.objects.get)
            hands = await in_database(Handle.for_user, alice, room.workspace)
            await in_database(hands.commit, EditArtifact(str(document.pk), 1, Passage("green", "black")))
            await room.say("look")
            await room.until("idle")
            assert "replaced “green” with “black”" in "".join(prompts(script.requests[-1]))
            await room.say("note something")
            await gate.reached.wait()
            await room.say("and hurry")
            gate.open()
            await room.until("idle")
            assert any("and hurry" in prompt for prompt in prompts(script.requests[-1]))
            await room.say("ask me")
            await room.until("paused")
            [question] = await room.open_requests()
            await in_database(answer, alice, str(question.pk), Answer("green"))
            await room.until("idle")
            script.steps[0] = call("publish_artifact", artifact=str(document.pk), version=2)
            await room.say("publish")
            await room.until("paused")
            [approval] = await room.open_requests()
            shown = {named["id"]: named["version"] for named in approval.artifacts}
            await in_database(answer, alice, str(approval.pk), Approve(shown))
            await room.until("idle")
            assert await in_database(Publication.objects.count) == 1
            await room.say("talk")
            await stopped.reached.wait()
            await in_database(stop, alice, room.id)
            await room.until("idle")
            await room.say("and now?")
            await room.until("idle")
        await in_database(check_thread, room.id)
        await in_database(check_log, room.workspace)

    with playing(script) as noted:
        asyncio.run(story())
    assert noted == ["one"]
