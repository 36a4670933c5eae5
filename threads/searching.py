"""Finding what was said in the threads of a workspace, and threads by their title."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from artifacts.models import Event, Workspace
from artifacts.searching import wanted
from threads.core import events
from threads.models import Thread
from threads.reading import threads_of

MOST = 30
AROUND = 90
"""Characters that are shown before and after a word that was found."""

PLACES = {
    events.MESSAGE_POSTED: "content",
    events.NOTICE_POSTED: "content",
    events.AGENT_RESPONDED: "text",
    events.QUESTION_ASKED: "question",
}
"""Where in an event its words are."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was said, with the words around the first one that was wanted: before it, it, after it."""

    thread: Thread
    seq: int
    by: str
    at: Any
    before: str
    word: str
    after: str


def titled(user: User, workspace: Workspace, words: str) -> QuerySet[Thread]:
    """The threads with all these words in their title, archived ones too."""
    rows, looked_for = threads_of(user).filter(workspace=workspace), wanted(words)
    for word in looked_for:
        rows = rows.filter(title__iregex=re.escape(word))
    return rows[:MOST] if looked_for else rows.none()


def said(user: User, workspace: Workspace, words: str) -> list[Said]:
    """The newest of what was said with all these words in it."""
    looked_for = wanted(words)
    if not looked_for:
        return []
    threads = {row.pk: row for row in threads_of(user).filter(workspace=workspace)}
    rows = Event.objects.filter(workspace=workspace, type__in=PLACES, thread__isnull=False)
    for word in looked_for:
        pattern = re.escape(word)
        rows = rows.filter(
            Q(*(), _connector=Q.OR, **{f"data__{key}__iregex": pattern for key in set(PLACES.values())})
        )
    return list(_shown(rows.order_by("-seq")[:MOST], threads, looked_for[0]))


def _shown(rows: QuerySet[Event], threads: dict[Any, Thread], word: str) -> Iterator[Said]:
    for row in rows:
        if row.thread not in threads:
            continue
        text = " ".join(str(row.data.get(PLACES[row.type]) or "").split())
        found = re.search(re.escape(word), text, re.IGNORECASE)
        start, end = found.span() if found else (0, 0)
        before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        yield Said(
            threads[row.thread],
            row.seq,
            row.actor_name,
            row.at,
            ("…" if start > AROUND else "") + before,
            text[start:end],
            after + ("…" if len(text) > end + AROUND else ""),
        )
