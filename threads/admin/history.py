"""Model history as it is stored, in its chunks, read as the messages that they are."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from artifacts.admin.reading import ReadOnly
from artifacts.admin.verbatim import characters, shortened, verbatim
from threads.models import Chunk

WORDS = {
    "system-prompt": "System",
    "user-prompt": "To the agent",
    "tool-return": "Result of",
    "retry-prompt": "To be tried again:",
    "text": "The agent",
    "thinking": "The agent, thinking",
    "tool-call": "The agent calls",
}


@admin.register(Chunk)
class ChunkAdmin(ReadOnly):
    """Chunks, newest first."""

    list_display = ("id", "thread", "workspace", "run", "seq", "length")
    list_select_related = ("thread__workspace", "run")
    search_fields = ("thread__title",)
    ordering = ("-id",)
    fields = ("thread", "run", "seq", "read", "whole")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Chunk]:
        """Chunks with the size of their messages; a page of one loads them."""
        return shortened(super().get_queryset(request), "messages")

    @admin.display
    def workspace(self, chunk: Chunk) -> str:
        """Where the thread is."""
        return str(chunk.thread.workspace)

    @admin.display(description="size", ordering="size")
    def length(self, chunk: Chunk) -> str:
        """How much it holds."""
        return characters(getattr(chunk, "size", 0))

    @admin.display(description="messages")
    def read(self, chunk: Chunk) -> SafeString:
        """What was said to the model and by it, in order."""
        parts = [
            part for message in json.loads(chunk.messages) for part in map(_part, message.get("parts", []))
        ]
        return mark_safe(render_to_string("admin/threads/chunk/messages.html", {"parts": parts}))  # noqa: S308 (a template)

    @admin.display(description="as stored")
    def whole(self, chunk: Chunk) -> SafeString:
        """The messages, as pydantic-ai stores them."""
        return verbatim(json.loads(chunk.messages))


def _part(part: dict[str, Any]) -> tuple[str, SafeString]:
    """Who says it, or which tool it is about; and what."""
    kind = str(part.get("part_kind", ""))
    tool = f" {part['tool_name']}" if part.get("tool_name") else ""
    said = part.get("args") if kind == "tool-call" else part.get("content")
    return f"{WORDS.get(kind, kind)}{tool}", verbatim(_read(said))


def _read(said: Any) -> Any:
    """Arguments that are stored as text are JSON as a rule."""
    if isinstance(said, str) and said[:1] in "{[":
        try:
            return json.loads(said)
        except ValueError:
            return said
    return "" if said is None else said
