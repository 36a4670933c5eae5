"""The search over a workspace: its threads, what was said in them, and its documents."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from artifacts.members import workspace_for
from artifacts.searching import found, wanted
from artifacts.web.access import SignedIn, private
from artifacts.web.workspace import standing
from threads.searching import MOST, said, titled


@require_GET
@private
def search(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """What holds all the words of `q`."""
    place = workspace_for(request.user, str(workspace_id))
    words = request.GET.get("q", "").strip()
    documents = found(place.artifacts.all(), words).defer("data") if wanted(words) else place.artifacts.none()
    context = {
        **standing(request, place),
        "q": words,
        "titled": titled(request.user, place, words),
        "said": said(request.user, place, words),
        "documents": documents[:MOST],
    }
    return render(request, "threads/search.html", context)
