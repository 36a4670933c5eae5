"""A conversation in a terminal: lines go to the commands of every surface; the log and what is live come back."""

import asyncio
import uuid
from contextlib import suppress

from django.contrib.auth.models import User

from artifacts import announcing, log
from artifacts.core.envelope import Envelope
from artifacts.core.rejections import Rejection
from artifacts.database import in_database
from artifacts.models import Event
from threads.core import events
from threads.core.rejections import ChangedMeanwhile, NothingToStop
from threads.core.titles import title_of
from threads.live import hub
from threads.models import Request, Thread
from threads.reading import thread_for, threads_of
from threads.terminal.deciding import artifacts_now, decide, first_open
from threads.terminal.keyboard import Lines
from threads.terminal.screen import Screen, approval
from threads.turns import create_thread, post, stop

SHOWN_EVENTS = 40
LISTED = 30
HELP = """\
Type to talk to the agent, or to answer what it asks. Ctrl-C stops the agent; when it does nothing, it ends this.
  /threads       the threads of the workspace      /open 2        go to one of them
  /new           begin another thread              /say words     say something instead of answering
  /stop          stop the agent                    /quit          end this"""


class Chat:
    """One person in one workspace, in one thread at a time."""

    def __init__(self, user: User, workspace_id: str, lines: Lines, screen: Screen) -> None:
        self.user = user
        self.workspace = workspace_id
        self.thread: str | None = None
        self.lines = lines
        self.screen = screen
        self._watching: asyncio.Task[None] | None = None
        self._versions: dict[str, dict[str, int]] = {}
        self._sent: set[str] = set()
        self._read = 0
        self._moved = asyncio.Event()
        self._interrupts: set[asyncio.Task[None]] = set()

    async def converse(self, thread_id: str | None = None) -> None:
        """Carry out line after line. When there are no more, wait until the agent has done what it was told."""
        self.screen.line(HELP)
        try:
            if thread_id is not None:
                await self._open(thread_id)
            while (line := await self.lines.get()) not in (None, "/quit"):
                await self._carry_out(line or "")
            if line is None:
                await self._settled()
        finally:
            await self._leave()

    def interrupt(self) -> None:
        """Ctrl-C: stop the agent, or end the conversation where it does nothing."""
        task = asyncio.ensure_future(self._interrupted())
        self._interrupts.add(task)
        task.add_done_callback(self._interrupts.discard)

    async def _interrupted(self) -> None:
        try:
            if self.thread is None:
                raise NothingToStop
            await in_database(stop, self.user, self.thread)
        except NothingToStop:
            self.lines.put_nowait("/quit")
        except Rejection as rejection:
            self.screen.line(rejection.message)

    async def _carry_out(self, line: str) -> None:
        try:
            if line.startswith("/"):
                word, _, rest = line.partition(" ")
                await self._obey(word, rest.strip())
            elif line.strip():
                await self._answer_or_say(line)
        except Rejection as rejection:
            self.screen.line(rejection.message)

    async def _obey(self, word: str, rest: str) -> None:
        match word:
            case "/threads":
                await self._list()
            case "/open":
                await self._open(await self._named(rest))
            case "/new":
                await self._leave()
                self.screen.line("A new thread: it begins with what you say.")
            case "/say":
                await self._say(rest)
            case "/stop":
                await in_database(stop, self.user, self._here())
            case _:
                self.screen.line(HELP)

    async def _answer_or_say(self, line: str) -> None:
        request = await in_database(first_open, self.thread) if self.thread else None
        if request is None:
            await self._say(line)
            return
        shown = self._versions.get(str(request.pk), {})
        try:
            await in_database(decide, self.user, request, line, shown)
        except ChangedMeanwhile as changed:
            self.screen.line(changed.message)
            await self._show_again(request)

    async def _say(self, text: str) -> None:
        if self.thread is None:
            thread = await in_database(create_thread, self.user, self.workspace, title_of(text))
            await self._open(str(thread.pk))
        message_id = uuid.uuid4().hex
        self._sent.add(message_id)
        await in_database(post, self.user, self._here(), message_id, text)

    def _here(self) -> str:
        if self.thread is None:
            raise NothingToStop
        return self.thread

    async def _list(self) -> None:
        for number, thread in enumerate(await in_database(self._threads), 1):
            state = "" if thread.status == "idle" else f" ({thread.status})"
            self.screen.line(f"{number:3}. {thread}{state}")

    def _threads(self) -> list[Thread]:
        rows = threads_of(self.user).filter(workspace_id=self.workspace, archived_at=None)
        return list(rows[:LISTED])

    async def _named(self, name: str) -> str:
        """A thread by its number in the list, or by its id. Raises `NotFound`."""
        listed = await in_database(self._threads)
        if name.isdecimal() and 0 < int(name) <= len(listed):
            return str(listed[int(name) - 1].pk)
        return name

    async def _open(self, thread_id: str) -> None:
        """Go to a thread: its last events, and then what comes. Raises `NotFound`."""
        thread = await in_database(thread_for, self.user, thread_id)
        await self._leave()
        self.thread, self.workspace = str(thread.pk), str(thread.workspace_id)
        head = await in_database(log.head, self.workspace)
        self.screen.line(f"— {thread} ({thread.pk})")
        for event in await in_database(_last_events, self.workspace, self.thread, head):
            self._show(event)
        self._watching = asyncio.create_task(self._watch(self.thread, head))

    async def _leave(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.wait([self._watching])
        self._watching, self.thread = None, None

    async def _watch(self, thread_id: str, after: int) -> None:
        async with asyncio.TaskGroup() as both:
            both.create_task(self._follow(thread_id, after))
            both.create_task(self._watch_live(thread_id))

    async def _follow(self, thread_id: str, after: int) -> None:
        self._read = after
        async for window in log.follow(self.workspace, after):
            for event in window.events:
                if event.thread == thread_id and event.data.get("message_id") not in self._sent:
                    self._show(event)
            self._read = window.head
            self._show_live(thread_id)
            self._moved.set()

    async def _watch_live(self, thread_id: str) -> None:
        with hub.watch(thread_id) as watch:
            while True:
                self._show_live(thread_id)
                await watch.wait()

    def _show_live(self, thread_id: str) -> None:
        """What is live, once what the log has before it is on the screen."""
        run = hub.get(thread_id)
        if run is not None and self._read >= announcing.newest(self.workspace):
            self.screen.live(list(run.parts.values()))

    def _show(self, event: Envelope) -> None:
        if event.type == events.APPROVAL_ASKED:
            self._versions[event.data["request"]] = _versions(event.data["artifacts"])
        self.screen.event(event)

    async def _show_again(self, request: Request) -> None:
        artifacts = await in_database(artifacts_now, request)
        self._versions[str(request.pk)] = _versions(artifacts)
        for line in approval(request.tool, request.arguments, artifacts):
            self.screen.line(line)

    async def _settled(self) -> None:
        """Return when the agent has nothing more to do, or waits for somebody."""
        while self.thread is not None and await in_database(_is_at_work, self.thread):
            self._moved.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._moved.wait(), log.POLL_SECONDS)
        request = await in_database(first_open, self.thread) if self.thread else None
        if request is not None:
            self.screen.line("· waits for an answer")


def _versions(artifacts: list[dict[str, object]]) -> dict[str, int]:
    return {str(named["id"]): int(str(named["version"])) for named in artifacts}


def _last_events(workspace_id: str, thread_id: str, head: int) -> list[Envelope]:
    rows = Event.objects.filter(workspace_id=workspace_id, thread=thread_id, seq__lte=head)
    return [row.envelope() for row in reversed(rows.order_by("-seq")[:SHOWN_EVENTS])]


def _is_at_work(thread_id: str) -> bool:
    thread = Thread.objects.select_related("run").get(pk=thread_id)
    if thread.claim is not None:
        return True
    return thread.status == "running" or (thread.status == "idle" and thread.asked_seq > thread.taken_seq)
