"""What pages may read of threads, scoped to the person who reads."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from artifacts.core.rejections import NotFound
from threads.models import Request, Run, Thread


def threads_of(user: User) -> QuerySet[Thread]:
    """The threads of every workspace that a person is a member of."""
    if not user.is_active:
        return Thread.objects.none()
    return Thread.objects.filter(workspace__memberships__user=user).select_related("run", "workspace")


def thread_for(user: User, thread_id: str) -> Thread:
    """One thread. Raises `NotFound` for a stranger."""
    try:
        return threads_of(user).get(pk=thread_id)
    except (Thread.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This thread") from None


def request_for(user: User, request_id: str) -> Request:
    """One request of a thread that the person may read. Raises `NotFound`."""
    try:
        return Request.objects.select_related("run", "thread").get(pk=request_id, thread__in=threads_of(user))
    except (Request.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This request") from None


def run_for(user: User, run_id: str) -> Run:
    """One run of a thread that the person may read. Raises `NotFound`."""
    try:
        return Run.objects.select_related("thread").get(pk=run_id, thread__in=threads_of(user))
    except (Run.DoesNotExist, ValidationError, ValueError):
        raise NotFound("This run") from None
