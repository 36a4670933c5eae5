"""How far people have read a thread, and so what in it is new to them."""

from django.contrib.auth.models import User
from django.db.models import BigIntegerField, Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from artifacts.core.events import WORKSPACE_RENAMED
from artifacts.models import Event, Membership
from threads.core import events
from threads.models import Sight, Thread

SAID = (
    events.MESSAGE_POSTED,
    events.NOTICE_POSTED,
    events.AGENT_RESPONDED,
    events.QUESTION_ASKED,
    events.APPROVAL_ASKED,
)
"""What is news to people; all else goes along with it."""

LISTED = (
    *SAID,
    events.THREAD_CREATED,
    events.THREAD_RENAMED,
    events.THREAD_ARCHIVED,
    events.THREAD_UNARCHIVED,
    events.RUN_STARTED,
    events.RUN_PAUSED,
    events.RUN_ENDED,
    events.REQUEST_ANSWERED,
    WORKSPACE_RENAMED,
)
"""What changes the sidebar: how threads stand there, what waits for a decision, and what the workspace is called."""


def look(user: User, thread: Thread, seq: int) -> int | None:
    """They have seen the thread up to `seq`. Returns how far they had seen it before, None if they never looked."""
    row, is_first = Sight.objects.get_or_create(user=user, thread=thread, defaults={"seq": seq})
    if row.seq < seq:
        Sight.objects.filter(pk=row.pk, seq__lt=seq).update(seq=seq)
    return None if is_first else row.seq


def with_news(user: User, threads: QuerySet[Thread]) -> QuerySet[Thread]:
    """The threads, each `unread` if others said something in it since this person looked, or else since they joined."""
    seen = Sight.objects.filter(user=user, thread=OuterRef("pk")).values("seq")
    joined = Membership.objects.filter(user=user, workspace=OuterRef("workspace")).values("joined_at")
    known = threads.annotate(
        seen_seq=Coalesce(Subquery(seen), 0, output_field=BigIntegerField()), joined_at=Subquery(joined)
    )
    said = Event.objects.filter(
        thread=OuterRef("pk"), seq__gt=OuterRef("seen_seq"), type__in=SAID, at__gt=OuterRef("joined_at")
    )
    return known.annotate(unread=Exists(said.exclude(actor_kind="user", actor_id=str(user.pk))))
