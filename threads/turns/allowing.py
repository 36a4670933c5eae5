"""Whether a person may say something now: how often they write, how many of their runs are going on, and what their
workspace has used today.

A person's row of `Pace` is locked first, always after the workspace's, so that what they send to several workspaces at
once is counted one by one.
"""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q

from artifacts.members import actor_of
from artifacts.models import Event
from threads.core import limits, status
from threads.core.rejections import DayUsedUp, TooManyMessages, TooManyRuns
from threads.models import Pace, Run, Thread
from threads.turns.charging import tokens_a_day, tokens_today

MINUTE = 60.0


def require_pace(user: User, at: datetime) -> None:
    """Count a message. Raises `TooManyMessages`."""
    most = settings.ARTIFACTR_PERSON_MESSAGES_A_MINUTE
    if most is None:
        return
    pace, _ = Pace.objects.select_for_update().get_or_create(user_id=user.pk)
    now = at.timestamp()
    recent = [wrote for wrote in pace.wrote if wrote > now - MINUTE]
    if len(recent) >= most:
        raise TooManyMessages(most, seconds=recent[-most] + MINUTE - now)
    pace.wrote = [*recent, now]
    pace.save(update_fields=("wrote",))


def require_run(user: User, thread: Thread, at: datetime) -> None:
    """Whether another run may begin for this person here. Raises `TooManyRuns` or `DayUsedUp`."""
    most = settings.ARTIFACTR_PERSON_RUNS
    if most is not None and runs_of(user) >= most:
        raise TooManyRuns(most)
    tokens = tokens_a_day(thread.workspace)
    if tokens is None:
        return
    try:
        limits.require_day(tokens, tokens_today(str(thread.workspace_id), at))
    except limits.LimitReached as reached:
        raise DayUsedUp(str(reached)) from None


def runs_of(user: User) -> int:
    """The runs that go on for a person, and those that are about to: messages of theirs that nobody has taken yet."""
    actor = actor_of(user)
    going_on = Run.objects.filter(user_id=user.pk, status__in=(status.RUNNING, status.READY)).count()
    own = Event.objects.filter(
        workspace_id=OuterRef("workspace_id"),
        seq=OuterRef("asked_seq"),
        actor_kind=actor.kind,
        actor_id=actor.id,
    )
    idle = Q(run=None) | Q(run__status__in=status.ENDED)
    about_to = Thread.objects.filter(idle, Exists(own), asked_seq__gt=F("taken_seq"), archived_at=None)
    return going_on + about_to.count()
