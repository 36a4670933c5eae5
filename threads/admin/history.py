"""Model history as it is stored, in its chunks."""

import json

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from artifacts.admin.reading import ReadOnly
from artifacts.admin.verbatim import characters, shortened, verbatim
from threads.models import Chunk


@admin.register(Chunk)
class ChunkAdmin(ReadOnly):
    """Chunks, newest first."""

    list_display = ("id", "thread", "workspace", "run", "seq", "length")
    list_select_related = ("thread__workspace", "run")
    search_fields = ("thread__title",)
    ordering = ("-id",)
    fields = ("thread", "run", "seq", "whole")

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
    def whole(self, chunk: Chunk) -> SafeString:
        """The messages, as pydantic-ai stores them."""
        return verbatim(json.loads(chunk.messages))
