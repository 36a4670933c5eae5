"""What must hold of every thread, whatever happened to it: checked on the log and the stored history alone."""

import json
import re
from collections import Counter
from itertools import pairwise
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, repair_messages

from artifacts.models import Event
from threads.core import decisions, events, history, status
from threads.models import Chunk, Request, Run, Thread

MESSAGE = re.compile(r'<message author="[^"]*">\n(.*?)\n</message>', re.DOTALL)


def check_log(workspace_id: str) -> None:
    """The log has no gap and nothing twice."""
    seqs = list(Event.objects.filter(workspace_id=workspace_id).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


def check_thread(thread_id: str, *, kills: bool = False) -> None:
    """Promises 1 to 7 of a thread at rest. With `kills`, a turn may also end with its process."""
    log = list(Event.objects.filter(thread=thread_id).order_by("seq"))
    check_messages(thread_id, log)
    check_runs(thread_id, log, kills=kills)
    check_tools(log)
    check_history(thread_id)


def check_messages(thread_id: str, log: list[Event]) -> None:
    """Each message is delivered once and is in history once, in the log's order; or it was withdrawn."""
    posted = [event for event in log if event.type == events.MESSAGE_POSTED]
    fates = Counter(
        event.about for event in log if event.type in (events.MESSAGE_DELIVERED, events.MESSAGE_WITHDRAWN)
    )
    assert fates == Counter(event.seq for event in posted), (
        f"each message is delivered once, or withdrawn once:\n{told(log)}"
    )
    heard = heard_by_the_model(thread_id)
    withdrawn = {event.about for event in log if event.type == events.MESSAGE_WITHDRAWN}
    unheard = {event.data["content"] for event in posted if event.seq in withdrawn}
    unheard |= {event.data["content"] for event in log if event.type == events.NOTICE_POSTED}
    assert not unheard & set(heard), "what was withdrawn, or said to people only, is not in history"
    posted = [event for event in posted if event.seq not in withdrawn]
    said = [event.data["content"] for event in posted]
    assert {text: heard.count(text) for text in said} == dict.fromkeys(said, 1), (
        "each message is in history once"
    )
    prompts = [heard.index(event.data["content"]) for event in posted if not event.data["reply"]]
    assert prompts == sorted(prompts), "in the order of the log"


def heard_by_the_model(thread_id: str) -> list[str]:
    """Every person's words in history, in order: messages and answers."""
    return [
        text
        for message in stored_messages(thread_id)
        for part in message["parts"]
        for text in MESSAGE.findall(str(part.get("content", "")))
    ]


def stored_messages(thread_id: str) -> list[history.Message]:
    """The thread's history as it is stored."""
    chunks = Chunk.objects.filter(thread_id=thread_id).values_list("messages", flat=True)
    return [message for chunk in chunks for message in json.loads(chunk)]


def check_runs(thread_id: str, log: list[Event], *, kills: bool) -> None:
    """A run ends once and nothing follows; each turn ends once; turns do not overlap."""
    for run in Run.objects.filter(thread_id=thread_id):
        own = [event for event in log if event.data.get("run") == str(run.pk)]
        ends = [event for event in own if event.type == events.RUN_ENDED]
        assert len(ends) == (1 if run.status in status.ENDED else 0), f"{run} has one end"
        if ends:
            assert own[-1].seq == ends[0].seq, f"after its end, {run} has {own[-1].type}"
    bounds = [
        event for event in log if event.type in (events.RUN_STARTED, events.RUN_PAUSED, events.RUN_ENDED)
    ]
    for before, after in pairwise(bounds):
        if before.type == after.type == events.RUN_STARTED:
            assert kills, "a turn ends before the next begins"
            assert before.data["run"] == after.data["run"], "a killed run goes on before another begins"
            assert after.data["trigger"] == "continue"


def check_tools(log: list[Event]) -> None:
    """No call begins twice, and what returned had begun. A body that asked first may begin again, once a time."""
    returns = [event.data for event in log if event.type == events.TOOL_RETURNED]
    deferred = Counter(data["call"] for data in returns if data["outcome"] == history.DEFERRED)
    called = Counter(event.data["call"] for event in log if event.type == events.TOOL_CALLED)
    returned = Counter(data["call"] for data in returns if data["outcome"] != history.DEFERRED)
    begun = called - deferred
    assert all(count == 1 for count in begun.values()), f"begun twice: {called.most_common(1)}"
    assert all(count == 1 for count in returned.values()), f"returned twice: {returned.most_common(1)}"
    assert set(returned) <= set(begun)


def check_returns(thread_id: str) -> None:
    """The model was told of each call what the log knows: its result, its answer, or what became of it."""
    log = Event.objects.filter(thread=thread_id)
    returns = [event.data for event in log.filter(type=events.TOOL_RETURNED)]
    deferred = Counter(data["call"] for data in returns if data["outcome"] == history.DEFERRED)
    called = Counter(event.data["call"] for event in log.filter(type=events.TOOL_CALLED)) - deferred
    results = {data["call"]: data for data in returns if data["outcome"] != history.DEFERRED}
    requests = {request.call: request for request in Request.objects.filter(thread_id=thread_id)}
    for part in (part for message in stored_messages(thread_id) for part in message["parts"]):
        if part["part_kind"] == "tool-return":
            call = part["tool_call_id"]
            if call in deferred and call not in requests:
                called[call] = 1  # it never came to the pause
            expected = _told_of(call, called, results, requests)
            assert part["outcome"] == expected[0], f"{part} {expected}"
            assert expected[1] in (None, part["content"]), f"{part} {expected}"


def _told_of(
    call: str, called: Counter[str], results: dict[str, dict[str, Any]], requests: dict[str, Request]
) -> tuple[str, Any]:
    """The outcome and the content, None where it is composed, that a call should have."""
    if call in results:
        return results[call]["outcome"], results[call]["content"]
    if call in called:
        edited = call in requests and (requests[call].answer or {}).get("arguments") is not None
        return "interrupted", None if edited else history.INTERRUPTED
    match requests[call].state if call in requests else None:
        case decisions.ANSWERED:
            return "success", None
        case decisions.DECLINED:
            return "denied", None
        case decisions.CLOSED:
            return "interrupted", None
        case _:
            return "interrupted", history.NOT_STARTED


def check_history(thread_id: str) -> None:
    """The stored history of a thread at rest is what every provider accepts."""
    thread = Thread.objects.select_related("run").get(pk=thread_id)
    stored = stored_messages(thread_id)
    messages = ModelMessagesTypeAdapter.validate_python(stored)
    assert all(message.parts for message in messages), "no message is empty"
    if thread.status == "idle":
        assert history.open_calls(stored) == [], "every call is answered"
        assert not synthesized(repair_messages(messages)), "nothing has to be made up to send it"
    check_provider_rules(repair_messages(messages, repair_last_response=False))


def synthesized(messages: list[ModelMessage]) -> list[object]:
    """The returns that pydantic-ai had to make up."""
    return [
        part
        for message in messages
        for part in message.parts
        if "pydantic_ai_synthesized_tool_return" in str(getattr(part, "metadata", None) or "")
    ]


def check_provider_rules(messages: list[ModelMessage]) -> None:
    """Roles alternate, and each call's one return stands in the request right after it."""
    for before, after in pairwise(messages):
        assert isinstance(before, ModelResponse) != isinstance(after, ModelResponse), "roles alternate"
        if isinstance(before, ModelResponse):
            calls = sorted(part.tool_call_id for part in before.parts if part.part_kind == "tool-call")
            returns = sorted(part.tool_call_id for part in after.parts if part.part_kind == "tool-return")
            assert calls == returns, "each call has its return in the next request"


def told(log: list[Event]) -> str:
    """A log as lines, for a test that fails."""
    return "\n".join(f"{event.seq} {event.type} {event.about or ''} {event.data}" for event in log)
