"""A run that waits for an answer, made by the real transactions of a turn, without an agent."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Permission, User
from django.test import Client

from artifacts.core.commands import CreateArtifact
from artifacts.handle import Handle
from threads.core import decisions, events, status
from threads.models import Draft, Request, Run, Thread
from threads.turns import create_thread, post
from threads.turns.claiming import claim
from threads.turns.drafting import Snapshot, store_draft
from threads.turns.ending import Asked, Ending, end
from threads.turns.saving import Fact, Turn, Write


def workspace_of(user: User) -> str:
    """The id of the workspace that a person had from the start."""
    return str(user.memberships.get(role="owner").workspace_id)


def document(user: User, title: str = "Tea", text: str = "Tea is green.") -> str:
    """A new document in a person's workspace; its id."""
    handle = Handle.for_user(user, workspace_of(user))
    return handle.commit(CreateArtifact("document", {"title": title, "text": text})).artifact


def thread(user: User, title: str = "Tea", content: str = "Publish it, please") -> Thread:
    """A thread in which a person has said something."""
    made = create_thread(user, workspace_of(user), title)
    post(user, str(made.pk), uuid.uuid4().hex, content)
    return made


def approval(
    arguments: Mapping[str, Any],
    tool: str = "publish_artifact",
    schema: Mapping[str, Any] | None = None,
    permission: str = "",
) -> Asked:
    """A call that needs leave."""
    return Asked(
        decisions.APPROVAL,
        tool,
        f"call-{uuid.uuid4().hex}",
        dict(arguments),
        description="Make it public.",
        schema=dict(schema or {}),
        permission=permission,
    )


def question(words: str, *choices: str) -> Asked:
    """A call of `ask_user`."""
    arguments = {"question": words, "choices": list(choices)}
    call = f"call-{uuid.uuid4().hex}"
    return Asked(decisions.QUESTION, "ask_user", call, arguments, words, choices=choices)


def paused(made: Thread, *asked: Asked) -> list[Request]:
    """Let the thread's agent say something, ask, and pause; what it asked, in order."""
    claimed = claim(str(made.pk), str(uuid.uuid4()), "test")
    assert claimed is not None
    said = Fact(events.AGENT_RESPONDED, {"text": "I need leave for this.", "thinking": "", "parts": []})
    history = json.dumps([_response(asked)])
    ending = Ending(status.PAUSED, asked=asked)
    end(Turn(claimed), [Write("1", [said], history, claimed.position)], ending)
    return list(Request.objects.filter(run_id=claimed.run))


def waiting(user: User, *asked: Asked, title: str = "Tea") -> list[Request]:
    """A new thread of a person whose run is paused, and its requests."""
    return paused(thread(user, title), *asked)


def run_of(request: Request) -> Run:
    """The request's run as it is now."""
    return Run.objects.get(pk=request.run_id)


def left_draft(
    user: User, data: dict[str, Any], kind: str = "document", artifact: str | None = None
) -> Draft:
    """A draft that a run left behind as it was stopped."""
    made = thread(user, "Writing", "Write it")
    claimed = claim(str(made.pk), str(uuid.uuid4()), "test")
    assert claimed is not None
    store_draft(Turn(claimed), Snapshot("call-1", kind, str(data.get("title", "")), data, artifact))
    end(Turn(claimed), [], Ending(status.FAILED, "model_error", "The provider is away."))
    return Draft.objects.get(run_id=claimed.run)


def signed_in(user: User) -> Client:
    """A browser of theirs."""
    client = Client()
    client.force_login(user)
    return client


def staff(name: str, *permissions: str) -> User:
    """Somebody who may enter the admin and has some permissions on requests."""
    user = User.objects.create_user(name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


def _response(asked: tuple[Asked, ...]) -> dict[str, Any]:
    calls = [
        {"part_kind": "tool-call", "tool_name": one.tool, "tool_call_id": one.call, "args": one.arguments}
        for one in asked
    ]
    return {"kind": "response", "parts": [{"part_kind": "text", "content": "I need leave."}, *calls]}
