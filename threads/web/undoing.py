"""Second thoughts: whose message may still be taken back, and which run be tried again, for one viewer."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from artifacts.core.rules import VIEWER
from artifacts.members import role_of
from artifacts.models import Event
from artifacts.web.access import SignedIn
from threads.core import events
from threads.models import Thread
from threads.turns.retrying import may_retry
from threads.turns.withdrawing import waiting
from threads.web.things import Thing


class Undoing:
    """The forms that one person gets on the page of a thread. They depend on the viewer, so no event carries them."""

    def __init__(self, request: SignedIn, thread: Thread) -> None:
        self._request = request
        self._thread = thread

    def of(self, thing: Thing) -> Mapping[str, Any]:
        """What the element of an event shows of it. An empty text says that there is nothing to ask for."""
        if thing.event.type == events.MESSAGE_POSTED:
            return {"withdrawal_html": self.withdrawal(thing.event.seq)}
        if thing.event.type == events.RUN_ENDED:
            return {"retry_html": self.retry(thing.event.data["run"])}
        return {}

    def withdrawal(self, message: int) -> str:
        """The form that takes a message back, if it is the viewer's and waits."""
        if not self._may_write or message not in self._own:
            return ""
        return drawn(self._request, "withdrawal", {"thread": self._thread, "message": message})

    def retry(self, run: str) -> str:
        """The form that has a run tried again, if it is the last one and did not complete."""
        if not self._may_write or str(self._thread.run_id) != run or not may_retry(self._thread):
            return ""
        return drawn(self._request, "retry", {"run": run})

    @cached_property
    def _may_write(self) -> bool:
        role = role_of(self._request.user.pk, str(self._thread.workspace_id))
        return role not in (None, VIEWER) and self._thread.archived_at is None

    @cached_property
    def _own(self) -> set[int]:
        """The viewer's messages that wait."""
        if self._thread.asked_seq <= self._thread.taken_seq:
            return set()
        own = Event.objects.filter(
            workspace_id=self._thread.workspace_id,
            seq__in=waiting(self._thread),
            actor_kind="user",
            actor_id=str(self._request.user.pk),
        )
        return set(own.values_list("seq", flat=True))


def drawn(request: HttpRequest, name: str, context: dict[str, Any]) -> str:
    """A form as HTML, with the viewer's token."""
    return mark_safe(render_to_string(f"threads/_{name}.html", context, request=request))  # noqa: S308 (drawn by a template)
