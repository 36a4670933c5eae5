"""A thread begins to follow an artifact: from this moment its agent is told what others do to it."""

from artifacts.log import Entry
from threads.core import events
from threads.models import Focus


def follow(entry: Entry, thread_id: str, artifact_id: str, run_id: str | None) -> None:
    """Add the artifact to the thread's focus, if it is not in it."""
    if not Focus.objects.filter(thread_id=thread_id, artifact_id=artifact_id).exists():
        seq = entry.append(events.ARTIFACT_FOLLOWED, {"run": run_id}, thread=thread_id, artifact=artifact_id)
        Focus.objects.create(thread_id=thread_id, artifact_id=artifact_id, seq=seq)
