"""`manage.py chat`: what is typed, what is shown, over the Runner that the pages use."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest
from django.contrib.auth.models import User

from artifacts import log
from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.patches import WholeText
from artifacts.database import in_database
from artifacts.handle import Handle
from tests.kit import Gate, Room, Script, ask, call, playing, running, say
from tests.promises import check_log, check_thread
from threads.live import hub
from threads.models import Run, Thread
from threads.terminal.chat import Chat
from threads.terminal.screen import Screen
from threads.turns import post

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


class Terminal:
    """A person at a terminal: types, and waits for words on the screen."""

    def __init__(self, user: User) -> None:
        self.text = ""
        self._came = asyncio.Event()
        self.lines: asyncio.Queue[str | None] = asyncio.Queue()
        workspace = str(user.memberships.get().workspace_id)
        self.chat = Chat(user, workspace, self.lines, Screen(self._write))

    def type(self, line: str) -> None:
        self.lines.put_nowait(line)

    async def sees(self, *words: str, seconds: float = 20) -> None:
        """Return once all of these came on the screen, in any order, after those that were seen before."""
        async with asyncio.timeout(seconds):
            while not all(some in self.text for some in words):
                self._came.clear()
                await self._came.wait()
        self.text = self.text[max(self.text.index(some) + len(some) for some in words) :]

    def _write(self, text: str) -> None:
        self.text += text
        self._came.set()


type Doing = Callable[[Terminal], Coroutine[Any, Any, None]]


def at_a_terminal(alice: User, script: Script, doing: Doing, thread: str | None = None) -> None:
    """Let somebody do something at a terminal, then end the input; every promise holds after it."""

    async def story() -> None:
        terminal = await in_database(Terminal, alice)
        async with running():
            conversation = asyncio.create_task(terminal.chat.converse(thread))
            await doing(terminal)
            terminal.lines.put_nowait(None)
            await asyncio.wait_for(conversation, 20)

    with playing(script):
        asyncio.run(story())
    for pk in Thread.objects.values_list("pk", flat=True):
        check_thread(str(pk))
    check_log(str(alice.memberships.get().workspace_id))


def test_a_text_is_seen_while_it_is_written_and_once(alice: User) -> None:
    gate = Gate()

    async def doing(terminal: Terminal) -> None:
        terminal.type("good morning")
        await terminal.sees("Agent: good")
        gate.open()
        await terminal.sees(" day to you\n")
        await terminal.sees("· completed (1 requests")
        assert "good" not in terminal.text

    at_a_terminal(alice, Script(say("good day to you", gate)), doing)
    assert Thread.objects.get().title == "good morning"


def test_an_answer_comes_after_the_message_that_asked_for_it(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However late the log is read, and the words of the agent are there before."""
    room, late, written = Room.open(alice), Gate(), Gate()
    follow = log.follow

    async def follow_late(workspace_id: str, after: int) -> AsyncIterator[log.Window]:
        async for window in follow(workspace_id, after):
            await late.pass_through()
            yield window

    async def doing(terminal: Terminal) -> None:
        await terminal.sees("— ")
        await in_database(post, alice, room.id, "m", "good morning")
        with hub.watch(room.id) as watch:
            while not (run := hub.get(room.id)) or "good" not in "".join(p.text for p in run.parts.values()):
                assert await watch.wait(20)
        assert "good" not in terminal.text
        late.open()
        await terminal.sees("Alice: good morning\nAgent: good")
        written.open()

    monkeypatch.setattr(log, "follow", follow_late)
    at_a_terminal(alice, Script(say("good day to you", written)), doing, room.id)


def test_a_question_is_answered_by_number_or_in_words(alice: User) -> None:
    async def doing(terminal: Terminal) -> None:
        terminal.type("ask me")
        await terminal.sees("? Which?\n    1. green\n    2. black\n")
        terminal.type("2")
        await terminal.sees("Alice answered it: black")
        await terminal.sees("? And?")
        terminal.type("whatever")
        await terminal.sees("Agent: thank you")

    at_a_terminal(alice, Script(ask("Which?", "green", "black"), ask("And?"), say("thank you")), doing)


def test_an_approval_is_given_in_the_versions_that_were_shown(alice: User) -> None:
    script = Script(say("hello"), call("launch", what="x"), say("launched"))

    async def doing(terminal: Terminal) -> None:
        hands = await in_database(Handle.for_user, alice, terminal.chat.workspace)
        made = await in_database(hands.commit, CreateArtifact("document", {"title": "Tea", "text": "a"}))
        script.steps[1] = call("launch", what=made.artifact)
        terminal.type("hello")
        await terminal.sees("completed")
        terminal.type("launch it")
        await terminal.sees("about “Tea”, version 1")
        terminal.type("perhaps")
        await terminal.sees("Type yes, or no and why")
        await in_database(hands.commit, EditArtifact(made.artifact, 1, WholeText("b")))
        terminal.type("yes")
        await terminal.sees("Tea changed since this was shown to you")
        await terminal.sees("about “Tea”, version 2")
        terminal.type("yes")
        await terminal.sees("Agent: launched")

    at_a_terminal(alice, script, doing)


def test_ctrl_c_stops_the_agent_and_then_ends_the_chat(alice: User) -> None:
    async def doing(terminal: Terminal) -> None:
        terminal.type("talk")
        await terminal.sees("Agent: a")
        terminal.chat.interrupt()
        await terminal.sees("· stopped")
        terminal.chat.interrupt()

    at_a_terminal(alice, Script(say("a long answer", Gate())), doing)
    assert Run.objects.get().status == "stopped"


def test_threads_are_listed_and_opened_with_what_was_said_in_them(alice: User) -> None:
    async def doing(terminal: Terminal) -> None:
        terminal.type("the first one")
        await terminal.sees("completed")
        terminal.type("/new")
        terminal.type("the second one")
        await terminal.sees("completed")
        terminal.type("/threads")
        await terminal.sees("1. the second one")
        await terminal.sees("2. the first one")
        terminal.type("/open 2")
        await terminal.sees("Alice: the first one")
        await terminal.sees("Agent: one")
        terminal.type("/open nonsense")
        await terminal.sees("does not exist")

    at_a_terminal(alice, Script(say("one"), say("two")), doing)


def test_input_that_ends_leaves_no_run_in_the_middle(alice: User) -> None:
    async def doing(terminal: Terminal) -> None:
        terminal.type("go")

    at_a_terminal(alice, Script(call("note", text="a"), say("well")), doing)
    assert Run.objects.get().status == "completed"


def test_what_the_agent_writes_cannot_drive_the_terminal(alice: User) -> None:
    async def doing(terminal: Terminal) -> None:
        terminal.type("go")
        await terminal.sees("Agent: \ufffd[2Jgone")

    at_a_terminal(alice, Script(say("\x1b[2Jgone")), doing)


def test_what_others_do_in_the_thread_is_seen(alice: User) -> None:
    room = Room.open(alice)

    async def doing(terminal: Terminal) -> None:
        await terminal.sees("— New thread")
        await room.say("from the page")
        await terminal.sees("Alice: from the page", "Agent: seen")

    at_a_terminal(alice, Script(say("seen")), doing, thread=room.id)
