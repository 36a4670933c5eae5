"""An agent proposes, a person decides, and the agent is told: by a scripted model, and by the demo."""

import asyncio

import pytest
from django.contrib.auth.models import User

from artifacts.core.commands import Accept, Reject, RespondToProposal
from artifacts.core.patches import Passage
from artifacts.core.rejections import Invalid
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.models import Artifact, Event, Proposal
from tests.kit import Room, Script, call, playing, prompts, running, say
from tests.promises import check_log, check_thread
from threads.core import events
from threads.models import Thread
from threads.turns import set_mode

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]

TEA = {"title": "Tea", "text": "Tea is green.\n\nIt is hot."}


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


async def said(room: Room, text: str) -> None:
    await room.say(text)
    await room.until("idle")


async def begun(room: Room) -> tuple[Artifact, Handle]:
    """A document that the agent wrote, and Alice's hands."""
    await said(room, "write")
    return await in_database(Artifact.objects.get), await in_database(
        Handle.for_user, room.user, room.workspace
    )


async def checked(room: Room) -> None:
    await in_database(check_thread, room.id)
    await in_database(check_log, room.workspace)


def test_in_suggest_mode_an_edit_becomes_a_proposal_and_its_decision_a_note(alice: User) -> None:
    script = Script(call("create_artifact", kind="document", data=TEA), say("written"))

    async def story() -> None:
        room = await Room.opened(alice)
        async with running():
            document, hers = await begun(room)
            await in_database(set_mode, alice, room.id, "suggest")
            arguments = {"artifact": str(document.pk), "old": "green", "new": "black", "summary": "Darker"}
            script.steps += [call("edit_text", **arguments), say("proposed")]
            await said(room, "change it")
            proposal = await in_database(Proposal.objects.get)
            assert (await in_database(Artifact.objects.get)).version == 1
            assert (proposal.actor_kind, str(proposal.thread), proposal.summary) == (
                "agent",
                room.id,
                "Darker",
            )
            last = prompts(script.requests[-1])[-1]
            assert "suggest mode" in last
            assert f'<proposal id="{proposal.pk}"' in last
            accept = Accept(base=1, changes=Passage("It is hot", "It is cold"))
            resolved = await in_database(hers.commit, RespondToProposal(str(proposal.pk), accept))
            assert resolved.version == 2
            assert (await in_database(Artifact.objects.get)).data["text"] == "Tea is black.\n\nIt is cold."
            await said(room, "and?")
            told = [prompt for prompt in prompts(script.requests[-1]) if "<workspace-changes>" in prompt]
            assert len(told) == 1
            assert "Alice accepted the proposal “Darker” of Agent for “Tea”" in told[0]
            assert "and changed it: replaced “hot” with “cold”" in told[0]
            assert "<proposal" not in prompts(script.requests[-1])[-1]
        await checked(room)

    with playing(script):
        asyncio.run(story())


def test_the_demo_proposes_and_says_back_why_it_was_rejected(alice: User) -> None:
    async def story() -> None:
        room = await Room.opened(alice)
        async with running():
            await said(room, "write a document about tea")
            hers = await in_database(Handle.for_user, alice, room.workspace)
            await said(room, "propose green to black")
            proposal = await in_database(Proposal.objects.get)
            assert "waits for" not in proposal.summary
            await in_database(hers.commit, RespondToProposal(str(proposal.pk), Reject("Green is right")))
            await said(room, "propose")
            assert await in_database(Proposal.objects.filter(state="open").count) == 1
            answers = await in_database(answers_of, room.id)
            assert "Proposed for “Tea”, not changed yet" in answers[-3]
            assert "because: “Green is right”" in answers[-1]
            assert (await in_database(Artifact.objects.get)).version == 1
        await checked(room)

    asyncio.run(story())


def answers_of(thread: str) -> list[str]:
    rows = Event.objects.filter(thread=thread, type=events.AGENT_RESPONDED).order_by("seq")
    return [row.data["text"] for row in rows]


def test_a_mode_is_set_by_who_may_write_and_is_one_of_two(alice: User) -> None:
    room = Room.open(alice)
    seq = set_mode(alice, room.id, "suggest")
    assert set_mode(alice, room.id, "suggest") == seq
    assert Thread.objects.get().mode == "suggest"
    with pytest.raises(Invalid):
        set_mode(alice, room.id, "")
