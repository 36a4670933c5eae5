"""A typed line as the answer to what a paused run asks."""

from django.contrib.auth.models import User

from artifacts.core.rejections import Invalid
from artifacts.models import Artifact
from threads.core import decisions
from threads.core.decisions import Answer, Approve, Decision, Decline
from threads.models import Request
from threads.turns import answer

YES, NO = ("yes", "y"), ("no", "n")


def first_open(thread_id: str) -> Request | None:
    """What the thread's run waits for first."""
    return Request.objects.filter(thread_id=thread_id, state=decisions.OPEN).first()


def decide(user: User, request: Request, line: str, shown: dict[str, int]) -> None:
    """Answer a request with a line; `shown` are the versions of the artifacts that the person saw."""
    answer(user, str(request.pk), decision_of(request, line.strip(), shown))


def decision_of(request: Request, line: str, shown: dict[str, int]) -> Decision:
    """The decision that a line is. Raises `Invalid`."""
    if request.kind == decisions.QUESTION:
        is_number = line.isdecimal() and 0 < int(line) <= len(request.choices)
        return Answer(request.choices[int(line) - 1] if is_number else line)
    word, _, reason = line.partition(" ")
    if word.lower() in YES and not reason:
        return Approve(versions=shown)
    if word.lower() in NO:
        return Decline(reason.strip())
    raise Invalid({"decision": "Type yes, or no and why; /say … to say something to the agent instead."})


def artifacts_now(request: Request) -> list[dict[str, object]]:
    """The artifacts that an approval is about, in the versions that there are now."""
    rows = Artifact.objects.filter(pk__in=[named["id"] for named in request.artifacts])
    return [{"id": str(row.pk), "title": row.title, "version": row.version} for row in rows]
