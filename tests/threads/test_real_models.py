"""A real model's client against a provider on this machine, well-behaved and not."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pydantic_ai.models
import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from artifacts.database import in_database
from artifacts.models import Event
from tests.kit import TOOLS, Room, Script, playing, running
from tests.promises import check_log, check_thread
from tests.provider import (
    Provider,
    Turn,
    broken,
    broken_call,
    busy,
    calls,
    filtered,
    providing,
    refusal,
    silent,
    status,
    text,
)
from threads.core import events
from threads.live import LivePart, hub
from threads.models import Run
from threads.turns import stop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("connections_closed")]


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


@pytest.fixture(autouse=True)
def local_model(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The installation's model is the local provider's."""
    monkeypatch.setattr(pydantic_ai.models, "ALLOW_MODEL_REQUESTS", True)
    monkeypatch.setenv("OPENAI_API_KEY", "not a secret")
    with playing(Script()):
        settings.ARTIFACTR_MODEL = "openai-chat:local"
        settings.ARTIFACTR_TOOLSETS = [TOOLS]
        settings.ARTIFACTR_MODEL_SILENCE_SECONDS = 5.0
        yield


class Played:
    """What became of one message, or several, to a thread whose model is a provider's."""

    def __init__(self, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room = Room.open(alice)
        self.notices: list[str] = []
        self._monkeypatch = monkeypatch

    def play(self, *turns: Turn, messages: int = 1) -> "Played":
        asyncio.run(self._story(turns, messages))
        check_thread(self.room.id)
        check_log(self.room.workspace)
        return self

    async def _story(self, turns: tuple[Turn, ...], messages: int) -> None:
        async with providing(*turns) as self.provider, running():
            self._monkeypatch.setenv("OPENAI_BASE_URL", self.provider.url)
            with hub.watch(self.room.id) as watch:
                for number in range(messages):
                    await self.room.say(f"message {number}")
                    while await self.room.status() == "running":
                        self._look()
                        await watch.wait(0.02)

    def _look(self) -> None:
        live = hub.get(self.room.id)
        for part in live.parts.values() if live else ():
            if part.kind == "notice" and part.text not in self.notices:
                self.notices.append(part.text)

    @property
    def run(self) -> Run:
        run = Run.objects.filter(thread_id=self.room.id).last()
        assert run is not None
        return run

    def said(self) -> list[str]:
        """What the agent said, as the log has it."""
        rows = Event.objects.filter(thread=self.room.id, type=events.AGENT_RESPONDED).order_by("seq")
        return [row.data["text"] for row in rows]


@pytest.fixture
def played(alice: User, monkeypatch: pytest.MonkeyPatch) -> Played:
    return Played(alice, monkeypatch)


def test_a_text_arrives_with_its_usage(played: Played) -> None:
    run = played.play(text("good ", "morning")).run
    assert (run.status, played.said()) == ("completed", ["good morning"])
    assert (run.usage["input_tokens"], run.usage["output_tokens"]) == (100, 20)
    assert run.model_requests.get().model == "local"


def test_parallel_tool_calls_run_and_are_returned_together(played: Played) -> None:
    two = ("note", {"text": "a"}), ("note", {"text": "b"})
    run = played.play(calls(*two), text("noted")).run
    assert (run.status, run.usage["tool_calls"]) == ("completed", 2)
    sent = [message for message in played.provider.requests[1]["messages"] if message["role"] == "tool"]
    assert [message["content"] for message in sent] == ["noted a", "noted b"]


def test_a_provider_that_asks_to_wait_is_waited_for_and_the_page_says_so(played: Played) -> None:
    run = played.play(busy(1), text("at last")).run
    assert (run.status, played.said()) == ("completed", ["at last"])
    assert played.notices == ["The model's provider asks to wait for 1 second. The agent goes on then."]
    assert run.usage["requests"] == 1
    assert len(played.provider.requests) == 2


def test_waiting_is_no_silence(played: Played, settings: Settings) -> None:
    settings.ARTIFACTR_MODEL_SILENCE_SECONDS = 0.7
    assert played.play(busy(1), busy(1), text("at last")).run.status == "completed"


def test_a_provider_is_not_asked_for_ever(played: Played, settings: Settings) -> None:
    settings.ARTIFACTR_MODEL_TRIES = 2
    run = played.play(busy(0), busy(0), busy(0)).run
    assert (run.status, run.code, len(played.provider.requests)) == ("failed", "model_error", 2)
    assert run.reason.startswith("The model's provider has too much to do")


def test_a_provider_that_asks_for_too_long_is_not_waited_for(played: Played) -> None:
    run = played.play(busy(3600)).run
    assert (run.code, len(played.provider.requests)) == ("model_error", 1)


def test_a_broken_server_is_asked_again(played: Played) -> None:
    assert played.play(status(503), text("well")).run.status == "completed"
    assert played.notices == ["The model's provider is busy or broken. It is tried again in 1 second."]


def test_a_stream_that_breaks_fails_the_run_and_keeps_what_was_written(played: Played) -> None:
    run = played.play(broken("once ", "upon ")).run
    assert (run.status, run.code) == ("failed", "model_error")
    assert run.reason == "The connection to the model's provider broke off. Try again in a moment."
    assert played.said() == ["once upon "]


def test_after_a_stream_that_broke_the_next_message_is_answered(played: Played) -> None:
    played.play(broken("once ", "upon "), text("a time"), messages=2)
    assert played.said() == ["once upon ", "a time"]
    contents = str(played.provider.requests[-1]["messages"])
    assert "message 0" in contents
    assert "message 1" in contents


def test_a_call_that_broke_off_never_began(played: Played) -> None:
    played.play(broken_call("note"), text("well"), messages=2)
    assert played.said() == ["well"]
    assert not Event.objects.filter(type=events.TOOL_CALLED).exists()


@pytest.mark.parametrize("turn", [refusal("I cannot ", "say this"), filtered()], ids=["refusal", "filter"])
def test_a_refusal_fails_the_run_in_words(played: Played, turn: Turn) -> None:
    run = played.play(turn).run
    assert (run.status, run.code) == ("failed", "refused")
    assert run.reason == "The model's provider declined to answer this. Say it in other words."


@pytest.mark.parametrize("words", [[], ["once ", "upon "]], ids=["at once", "in the middle"])
def test_a_silent_provider_fails_the_run_after_a_time(
    played: Played, settings: Settings, words: list[str]
) -> None:
    settings.ARTIFACTR_MODEL_SILENCE_SECONDS = 0.5
    run = played.play(silent(words)).run
    assert (run.status, run.code) == ("failed", "model_silent")
    assert played.said() == (["once upon "] if words else [])


def test_a_key_that_is_refused_is_told(played: Played) -> None:
    run = played.play(status(401)).run
    assert (run.code, len(played.provider.requests)) == ("configuration", 1)
    assert run.reason.endswith("did not accept the key in the environment (HTTP 401).")


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        ("openai:gpt-5", "OPENAI_API_KEY"),
        ("openai-chat:gpt-5", "OPENAI_API_KEY"),
        ("anthropic:claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("ollama:llama", "OLLAMA_BASE_URL"),
    ],
)
def test_a_missing_key_fails_the_run_and_names_the_variable(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch, model: str, variable: str
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    settings.ARTIFACTR_MODEL = model

    async def story() -> str:
        room = await Room.opened(alice)
        async with running():
            await room.say("hello")
            await room.until("idle", seconds=60)
        return room.id

    check_thread(asyncio.run(story()))
    run = Run.objects.get()
    assert (run.status, run.code) == ("failed", "configuration")
    assert run.reason == (
        f"The model is not set up. ARTIFACTR_MODEL={model} needs the environment variable {variable}."
        " Set it, and start artifactr again."
    )


def test_a_run_that_waits_for_its_provider_can_be_stopped(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> Provider:
        room = await Room.opened(alice)
        async with providing(busy(60)) as provider, running():
            monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
            with hub.watch(room.id) as watch:
                await room.say("hello")
                while not _notices(room.id):
                    await watch.wait(5)
            await in_database(stop, alice, room.id)
            await room.until("idle")
            return provider

    asyncio.run(story())
    assert Run.objects.get().status == "stopped"


def _notices(thread_id: str) -> list[LivePart]:
    live: Any = hub.get(thread_id)
    return [part for part in live.parts.values() if part.kind == "notice"] if live else []
