"""What is new to whoever reads: the line above it on the page, and how far they have come since."""

from collections.abc import Iterable
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from artifacts import log
from artifacts.core.envelope import id_in, seq_in
from artifacts.core.rejections import Invalid
from artifacts.members import actor_of, workspace_for
from artifacts.web.access import SignedIn, private
from threads.reading import thread_for
from threads.sights import SAID, look
from threads.web.things import Thing


@require_POST
@private
def sight(request: SignedIn, thread_id: UUID) -> HttpResponse:
    """The page says how much of the thread was before its reader's eyes."""
    found, seq = thread_for(request.user, str(thread_id)), seq_in(request.POST.get("seq", ""))
    if seq is None:
        raise Invalid({"seq": "Is no number of an event."})
    look(request.user, found, min(seq, log.head(str(found.workspace_id))))
    return HttpResponse(status=204)


@require_GET
@private
def listed(request: SignedIn, workspace_id: UUID) -> HttpResponse:
    """The threads as the sidebar lists them now, and the workspace's name; `current` is the one that is open."""
    place = workspace_for(request.user, str(workspace_id))
    context = {"workspace": place, "current": id_in(request.GET.get("current", "")), "anew": True}
    return render(request, "threads/_listed.html", context)


def first_new(request: SignedIn, things: Iterable[Thing], seen: int | None) -> int | None:
    """The `seq` of the first thing that others said since this person looked; None if there is none."""
    me = actor_of(request.user)
    if seen is None:
        return None
    return next(
        (
            thing.event.seq
            for thing in things
            if thing.event.seq > seen
            and thing.event.type in SAID
            and (thing.event.actor.kind, thing.event.actor.id) != (me.kind, me.id)
        ),
        None,
    )
