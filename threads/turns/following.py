"""Which artifacts a thread follows: its agent has them before it, and is told what others do to them.

At most `FOCUS_LIMIT`: what the agent came to follow by itself makes room, the oldest first; what a person chose stays
until a person drops it.
"""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from artifacts.core.rejections import Archived as ArtifactArchived
from artifacts.core.rejections import NotFound
from artifacts.log import Entry
from artifacts.members import actor_of
from artifacts.models import Artifact
from threads.core import events
from threads.core.rejections import FocusFull
from threads.models import Focus, Thread
from threads.turns.writing import require_writer, write_in_thread

FOCUS_LIMIT = 50


def follow_artifact(user: User, thread_id: str, artifact_id: str) -> int:
    """A person has a thread follow an artifact; return the `seq`.

    Raises `NotFound`, `Forbidden`, `Archived` or `FocusFull`.
    """

    def decide(entry: Entry, thread: Thread) -> int:
        require_writer(user, thread)
        artifact = _artifact(thread, artifact_id)
        if artifact.archived_at is not None:
            raise ArtifactArchived(f"“{artifact.title}”")
        focus = Focus.objects.filter(thread=thread, artifact=artifact).first()
        if focus is not None and focus.chosen:
            return entry.head
        if focus is None and not _make_room(entry, str(thread.pk), None):
            raise FocusFull(FOCUS_LIMIT)
        return _choose(entry, thread, artifact, focus)

    return write_in_thread(thread_id, actor_of(user), decide)


def drop_artifact(user: User, thread_id: str, artifact_id: str) -> int:
    """A thread follows an artifact no longer; return the `seq`. Raises `NotFound`, `Forbidden` or `Archived`."""

    def decide(entry: Entry, thread: Thread) -> int:
        require_writer(user, thread)
        artifact = _artifact(thread, artifact_id)
        focus = Focus.objects.filter(thread=thread, artifact=artifact).first()
        return entry.head if focus is None else _drop(entry, focus, None)

    return write_in_thread(thread_id, actor_of(user), decide)


def follow(entry: Entry, thread_id: str, artifact_id: str, run_id: str) -> bool:
    """The agent comes to follow an artifact. False if there is no room: people chose all that is followed."""
    if Focus.objects.filter(thread_id=thread_id, artifact_id=artifact_id).exists():
        return True
    if not _make_room(entry, thread_id, run_id):
        return False
    seq = entry.append(events.ARTIFACT_FOLLOWED, {"run": run_id}, thread=thread_id, artifact=artifact_id)
    Focus.objects.create(thread_id=thread_id, artifact_id=artifact_id, seq=seq)
    return True


def _choose(entry: Entry, thread: Thread, artifact: Artifact, focus: Focus | None) -> int:
    """Follow it because a person said so. One that was followed before goes on to be followed since then."""
    seq = entry.append(
        events.ARTIFACT_FOLLOWED, {"run": None}, thread=str(thread.pk), artifact=str(artifact.pk)
    )
    kept = focus or Focus(thread=thread, artifact=artifact, seq=seq)
    kept.chosen = True
    kept.save()
    return seq


def _make_room(entry: Entry, thread_id: str, run_id: str | None) -> bool:
    """Drop the oldest that nobody chose if there are too many, and say whether there is room."""
    followed = Focus.objects.filter(thread_id=thread_id)
    if followed.count() < FOCUS_LIMIT:
        return True
    oldest = followed.filter(chosen=False).order_by("seq").first()
    if oldest is not None:
        _drop(entry, oldest, run_id)
    return oldest is not None


def _drop(entry: Entry, focus: Focus, run_id: str | None) -> int:
    thread, artifact = str(focus.thread_id), str(focus.artifact_id)
    focus.delete()
    return entry.append(events.ARTIFACT_DROPPED, {"run": run_id}, thread=thread, artifact=artifact)


def _artifact(thread: Thread, artifact_id: str) -> Artifact:
    try:
        return Artifact.objects.get(pk=artifact_id, workspace_id=thread.workspace_id)
    except (Artifact.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This artifact") from None
