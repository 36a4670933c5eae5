"""The socket of an artifact's own page: each new version, as it is made."""

import asyncio

from django.template.loader import render_to_string

from artifacts import log
from artifacts.core.envelope import Envelope
from artifacts.database import in_database
from artifacts.models import Artifact
from artifacts.web.following import following
from artifacts.web.showing import Shown, artifact_shown
from artifacts.web.sockets import RELOAD, DeliveringConsumer, Over
from artifacts.web.views import artifact_for


class ArtifactConsumer(DeliveringConsumer):
    """Delivers the artifact as it is whenever it changes."""

    artifact: Artifact

    def check(self) -> None:
        """Raises `NotFound` for strangers."""
        _, self.artifact = artifact_for(self.user, self.scope["url_route"]["kwargs"]["artifact_id"])

    async def deliver(self) -> None:
        """The artifact, if it changed since the page was made, and then at each change."""
        self._changed = asyncio.Event()
        workspace = str(self.artifact.workspace_id)
        if self.after > await in_database(log.head, workspace):
            raise Over(RELOAD)
        with following(workspace, self.after, self._heard):
            while True:
                await self._send_newest(workspace)
                await self._changed.wait()
                self._changed.clear()

    def _heard(self, events: list[Envelope]) -> None:
        if any(event.artifact == str(self.artifact.pk) for event in events):
            self._changed.set()

    async def _send_newest(self, workspace: str) -> None:
        shown, head = await in_database(self._read, workspace)
        if head <= self.after:
            return
        html = await asyncio.to_thread(drawn, shown, head)
        await self.send(text_data=html)
        self.after = head

    def _read(self, workspace: str) -> tuple[Shown, int]:
        head = log.head(workspace)
        return artifact_shown(Artifact.objects.get(pk=self.artifact.pk)), head


def drawn(shown: Shown, head: int) -> str:
    """The artifact and the page's new place in the log."""
    artifact = render_to_string(
        "artifacts/_artifact.html", {"artifact": shown, "heading": "h1", "oob": "outerHTML"}
    )
    return artifact + cursor(head)


def cursor(seq: int) -> str:
    """How far the page has the log."""
    return f'<i id="cursor" data-seq="{seq}" hx-swap-oob="outerHTML" hidden></i>'
