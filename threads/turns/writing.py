"""The start of every transaction here: the workspace's lock, then the thread's row."""

from collections.abc import Callable

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from artifacts import log
from artifacts.core import rules
from artifacts.core.actors import Actor, agent_actor
from artifacts.core.rejections import Archived, NotFound
from artifacts.members import role_of
from threads.models import Thread


class ClaimLost(Exception):
    """The turn no longer holds its thread: another process went on with the run. Nothing was written."""


class NotPermitted(Exception):
    """The person whom the run acts for may no longer write in this workspace."""


def write_in_thread[T](thread_id: str, actor: Actor, decide: Callable[[log.Entry, Thread], T]) -> T:
    """`log.write` in the thread's workspace, with the thread as it is under the lock. Raises `NotFound`."""
    workspace_id = workspace_of(thread_id)

    def under_lock(entry: log.Entry) -> T:
        thread = Thread.objects.select_related("run").get(pk=thread_id)
        thread.workspace = entry.workspace
        return decide(entry, thread)

    return log.write(workspace_id, actor, under_lock)


def write_as_turn[T](thread_id: str, decide: Callable[[log.Entry, Thread], T]) -> T:
    """`write_in_thread` as the agent that holds the thread. Where that is gone, the claim is: raises `ClaimLost`."""
    try:
        return write_in_thread(thread_id, agent_actor(thread_id), decide)
    except NotFound:
        raise ClaimLost(f"the thread {thread_id} was deleted with its workspace") from None


def workspace_of(thread_id: str) -> str:
    """The id of a thread's workspace. Raises `NotFound`."""
    try:
        return str(Thread.objects.values_list("workspace_id", flat=True).get(pk=thread_id))
    except (Thread.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This thread") from None


def require_writer(user: User, thread: Thread) -> None:
    """Raises `NotFound` to strangers, `Forbidden` to viewers, `Archived` if the thread is."""
    rules.require_editor(role_of(user.pk, str(thread.workspace_id)))
    if thread.archived_at is not None:
        raise Archived("This thread")


def require_claim(thread: Thread, token: str) -> None:
    """The fence: raises `ClaimLost` unless the turn with this token holds the thread."""
    if str(thread.claim) != token:
        raise ClaimLost(f"the turn {token} no longer holds the thread {thread.pk}")
