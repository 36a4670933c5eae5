"""What is too long for a message becomes a document beside the thread."""

from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.views.decorators.http import require_POST

from artifacts.core.commands import CreateArtifact
from artifacts.handle import Handle
from artifacts.web.access import SignedIn, private
from artifacts.web.answers import see_other
from artifacts.web.errors import is_htmx
from threads.reading import thread_for
from threads.turns import follow_artifact


@require_POST
@private
def documents(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """Make a document of a text, and let the thread follow it."""
    found = thread_for(request.user, str(thread_id))
    text = request.POST.get("text", "").replace("\r\n", "\n")
    command = CreateArtifact("document", {"title": request.POST.get("title", ""), "text": text})
    with transaction.atomic():
        # Both or neither: what its thread cannot follow is not left behind, unnoticed.
        made = Handle.for_user(request.user, str(found.workspace_id)).commit(command)
        follow_artifact(request.user, str(found.pk), made.artifact)
    return HttpResponse(status=201) if is_htmx(request) else see_other("thread", thread_id=found.pk)
