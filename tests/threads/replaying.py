"""The rows of one thread, as its events alone say that they are."""

from dataclasses import dataclass, field
from typing import Any

from artifacts.core.envelope import Envelope
from artifacts.models import Event
from threads.core import events
from threads.models import Focus, Request, Run, Thread

type Rows = dict[str, dict[str, Any]]


@dataclass
class ReplayedThread:
    """What the log says of a thread, its runs, requests and focus."""

    thread: dict[str, Any] = field(default_factory=dict)
    runs: Rows = field(default_factory=dict)
    requests: Rows = field(default_factory=dict)
    focus: Rows = field(default_factory=dict)
    waiting: set[int] = field(default_factory=set)

    def apply(self, event: Envelope) -> None:
        data = event.data
        match event.type:
            case events.THREAD_CREATED:
                self.thread = {
                    "title": data["title"],
                    "mode": data["mode"],
                    "archived": None,
                    "changed": event.at,
                    "run": None,
                }
            case events.THREAD_RENAMED | events.MODE_CHANGED:
                self.thread |= data
            case events.THREAD_ARCHIVED | events.THREAD_UNARCHIVED:
                self.thread["archived"] = event.at if event.type == events.THREAD_ARCHIVED else None
            case events.ARTIFACT_FOLLOWED | events.ARTIFACT_DROPPED:
                self._focus(event)
            case events.MESSAGE_POSTED | events.NOTICE_POSTED | events.RETRY_REQUESTED:
                self._asked(event)
            case events.MESSAGE_DELIVERED | events.MESSAGE_WITHDRAWN:
                self.waiting.discard(event.about or 0)
            case _:
                self._run(event)

    def _focus(self, event: Envelope) -> None:
        if event.type == events.ARTIFACT_DROPPED:
            del self.focus[str(event.artifact)]
            return
        row = self.focus.setdefault(str(event.artifact), {"seq": event.seq, "chosen": False})
        row["chosen"] = row["chosen"] or event.data["run"] is None

    def _asked(self, event: Envelope) -> None:
        self.thread["changed"] = event.at
        if event.type == events.MESSAGE_POSTED and not event.data["reply"]:
            self.waiting.add(event.seq)
        if event.type == events.RETRY_REQUESTED:
            self.thread["run"] = event.data["run"]
            self.runs[event.data["run"]] = {
                "status": "ready",
                "seq": event.seq,
                "trigger": "retry",
                "stop": None,
            }

    def _run(self, event: Envelope) -> None:
        data = event.data
        match event.type:
            case events.RUN_STARTED:
                known = self.runs.get(data["run"], {"seq": event.seq, "stop": None})
                self.runs[data["run"]] = {**known, "status": "running", "trigger": data["trigger"]}
                self.thread["run"] = data["run"]
            case events.STOP_REQUESTED:
                self.runs[data["run"]]["stop"] = event.seq
            case events.QUESTION_ASKED | events.APPROVAL_ASKED:
                self.requests[data["request"]] = {
                    "run": data["run"],
                    "seq": event.seq,
                    "state": "open",
                    "by": "",
                    "arguments": None,
                }
            case events.RUN_PAUSED:
                self.runs[data["run"]]["status"] = "paused"
            case events.REQUEST_ANSWERED:
                self._decided(event)
            case events.RUN_ENDED:
                self.runs[data["run"]]["status"] = data["outcome"]

    def _decided(self, event: Envelope) -> None:
        data = event.data
        self.requests[data["request"]] |= {
            "state": data["decision"],
            "by": event.actor.name,
            "arguments": data["arguments"],
        }
        own = [row for row in self.requests.values() if row["run"] == data["run"]]
        if all(row["state"] != "open" for row in own) and data["decision"] != "closed":
            self.runs[data["run"]]["status"] = "ready"


def replayed(thread_id: str) -> ReplayedThread:
    """What the log says now."""
    found = ReplayedThread()
    for row in Event.objects.filter(thread=thread_id).order_by("seq"):
        found.apply(row.envelope())
    return found


def stored(thread_id: str) -> ReplayedThread:
    """The rows as they are."""
    thread = Thread.objects.get(pk=thread_id)
    found = ReplayedThread(
        {
            "title": thread.title,
            "mode": thread.mode,
            "archived": thread.archived_at,
            "changed": thread.changed_at,
            "run": str(thread.run_id) if thread.run_id else None,
        }
    )
    for run in Run.objects.filter(thread=thread):
        found.runs[str(run.pk)] = {
            "status": run.status,
            "seq": run.seq,
            "trigger": run.trigger,
            "stop": run.stop_seq,
        }
    for request in Request.objects.filter(thread=thread):
        found.requests[str(request.pk)] = {
            "run": str(request.run_id),
            "seq": request.seq,
            "state": request.state,
            "by": request.decided_by,
            "arguments": (request.answer or {}).get("arguments"),
        }
    for focus in Focus.objects.filter(thread=thread):
        found.focus[str(focus.artifact_id)] = {"seq": focus.seq, "chosen": focus.chosen}
    return found
