"""The socket of an artifact's own page: the artifact whenever something happened to it, and who else is there."""

import asyncio
from contextlib import suppress

from django.template.loader import render_to_string

from artifacts import log
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.members import actor_of
from artifacts.models import Artifact
from artifacts.web import presence
from artifacts.web.following import following
from artifacts.web.page import artifact_for
from artifacts.web.presence import Present
from artifacts.web.showing import Beside, beside, drawn
from artifacts.web.sockets import RELOAD, DeliveringConsumer, Over
from artifacts.web.together import Together

KEPT = 64
"""Drawn artifacts that are kept for others who lack the same."""


class ArtifactConsumer(DeliveringConsumer):
    """Delivers the artifact as it is whenever it changes, and who has it open."""

    artifact: Artifact

    def admit(self) -> str:
        """The artifact's workspace. Raises `NotFound` for strangers."""
        _, self.artifact = artifact_for(self.user, self.scope["url_route"]["kwargs"]["artifact_id"])
        return str(self.artifact.workspace_id)

    async def deliver(self) -> None:
        """What changed since the page was made, and then what changes."""
        self._id, workspace = str(self.artifact.pk), str(self.artifact.workspace_id)
        self._changed, self._here = asyncio.Event(), list[Present]()
        if self.after > await in_database(log.head, workspace):
            raise Over(RELOAD)
        loop, me = asyncio.get_running_loop(), await in_database(actor_of, self.user)

        def moved() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._changed.set)

        with following(workspace, self.after, self._heard), presence.attending(self._id, me, moved):
            while True:
                await self._send_newest(workspace)
                await self._send_who_is_here()
                await self._wait()

    async def _wait(self) -> None:
        """Until something changes, be it that somebody's time is over."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), presence.seconds_until_change(self._id))
        self._changed.clear()

    def _heard(self, events: list[Envelope]) -> None:
        if any(event.artifact == self._id for event in events):
            self._changed.set()

    async def _send_newest(self, workspace: str) -> None:
        head = await in_database(log.head, workspace)
        if head <= self.after:
            return
        seq, html = await _together.get((self._id, head), lambda: fresh(self._id, head))
        if seq > self.after:
            await self.send(text_data=html)
        self.after = head

    async def _send_who_is_here(self) -> None:
        here = presence.present(self._id)
        if here != self._here:
            self._here = here
            await self.send(text_data=drawn_presence(here))


_together: Together[tuple[str, int], tuple[int, str]] = Together(KEPT)


async def fresh(artifact_id: str, head: int) -> tuple[int, str]:
    """The newest event about an artifact, and the artifact as HTML: read and drawn once for all who watch it."""
    artifact, around = await in_database(_read, artifact_id)
    return around.seq, await asyncio.to_thread(message, artifact, around, head)


def _read(artifact_id: str) -> tuple[Artifact, Beside]:
    artifact = Artifact.objects.get(pk=artifact_id)
    return artifact, beside(artifact)


def message(artifact: Artifact, around: Beside, head: int) -> str:
    """The artifact and the page's new place in the log."""
    context = {"artifact": drawn(artifact, around), "heading": "h1", "oob": "outerHTML"}
    return render_to_string("artifacts/_artifact.html", context) + cursor(head)


def drawn_presence(here: list[Present]) -> str:
    """Who is there, the same for all of them: a page leaves out its own reader."""
    return render_to_string("artifacts/_presence.html", {"present": here, "oob": "outerHTML"})


def cursor(seq: int) -> str:
    """How far the page has the log."""
    return f'<i id="cursor" data-seq="{seq}" hx-swap-oob="outerHTML" hidden></i>'


def elsewhere(seq: int) -> str:
    """How far the log is for what stands beside the page."""
    return f'<i id="elsewhere" data-seq="{seq}" hx-swap-oob="outerHTML" hidden></i>'
