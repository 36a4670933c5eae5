"""Other people's edits, lost claims, deploys and lost answers, driven into every point of a run."""

import asyncio
import random
import re
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from threading import Lock

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.db.models import Q

from artifacts import log
from artifacts.core.commands import CreateArtifact, EditArtifact
from artifacts.core.patches import WholeText
from artifacts.core.rejections import Forbidden
from artifacts.core.rules import OWNER, VIEWER
from artifacts.database import in_database
from artifacts.handle import Handle
from artifacts.members import add_member
from artifacts.models import Artifact, Event, Membership
from tests.kit import Step, ask, call, fail, say
from tests.promises import check_returns, stored_messages, told
from tests.shares import share
from tests.threads.interleaving import Happening, Points
from tests.threads.rounds import Round
from threads.agent.runner import Runner
from threads.core import events
from threads.models import Focus, Run, Thread
from threads.turns import post
from threads.turns.claiming import claim

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("connections_closed"),
    pytest.mark.stress,
]

NOTE = re.compile(r"<workspace-changes>\n(.*?)\n</workspace-changes>", re.DOTALL)


@pytest.fixture
def alice() -> User:
    return User.objects.create_superuser("alice", first_name="Alice")


def scripts(document: str) -> dict[str, list[Step]]:
    """Ways through a turn, each reading a document first."""
    read = call("read_artifact", artifact=document)
    return {
        "text": [read, say("one two three")],
        "tools": [[read, call("note", text="a")], [call("note", text="b"), call("note", text="c")], say("x")],
        "own edit": [read, call("edit_text", artifact=document, old="Tea", new="Coffee"), say("x")],
        "question": [read, [call("note", text="a"), ask("Which?", "this", "that")], say("thank you")],
        "approvals": [[read, call("launch", what="a"), call("launch", what="b")], say("launched")],
        "both": [read, [ask("Which?"), call("launch", what="a"), call("note", text="a")], say("done")],
        "side by side": [
            [read, call("create_artifact", kind="document", data={"title": "T"}), call("note", text="a")],
            say("x"),
        ],
        "failure": [read, [call("note", text="a"), say("so far")], fail()],
        "refused": [read, [call("note", wrong=1), call("nothing"), call("note", text="a")], say("sorry")],
    }


class Drive(Round):
    """A round with a document, and a last message after which everything must have been told."""

    def __init__(self, alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(alice, (), monkeypatch)
        self.hands = Handle.for_user(alice, self.room.workspace)
        data = {"title": "Tea", "text": "Tea is green."}
        self.document = self.hands.commit(CreateArtifact("document", data)).artifact
        self.steps = scripts(self.document)[name]
        self.edits: list[tuple[str, int]] = []
        self.editing = Lock()
        self.runner, self.next_runner = Runner(), Runner()

    def edit(self) -> None:
        """Somebody else adds something to the document, one thing after the other."""
        with self.editing:
            artifact = Artifact.objects.get(pk=self.document)
            mark = f"edit{len(self.edits)}."
            edit = EditArtifact(self.document, artifact.version, WholeText(f"{artifact.data['text']} {mark}"))
            self.edits.append((mark, self.hands.commit(edit).seq))

    async def story(self, points: Points) -> None:
        await self.runner.start()
        await in_database(self.message("message 0"))
        await self.answered(points)
        await in_database(self.message("another message"))
        await self.answered(points)
        points.close()
        await in_database(self.message("the last message"))
        await self.answered(points)
        await self.runner.shutdown(5)

    def check(self) -> None:
        """Every edit since the document was followed is told once, none before, and each call has its true return."""
        notes = [
            found
            for message in stored_messages(self.room.id)
            for part in message["parts"]
            if part["part_kind"] == "user-prompt"
            for found in NOTE.findall(part["content"])
        ]
        heard = "\n".join(notes)
        focus = Focus.objects.filter(thread_id=self.room.id, artifact_id=self.document).first()
        since = focus.seq if focus else float("inf")
        for mark, seq in self.edits:
            assert heard.count(mark) == (1 if seq > since else 0), (
                f"{mark} {seq} {since}: {heard}\n{self.told()}"
            )
        check_returns(self.room.id)
        called = Counter(
            str(event.data["arguments"].get("text") or event.data["arguments"].get("what"))
            for event in Event.objects.filter(thread=self.room.id, type=events.TOOL_CALLED)
            if event.data["tool"] in ("note", "launch") and isinstance(event.data["arguments"], dict)
        )
        assert Counter(self.ran) <= called, f"no tool begins unrecorded: {self.ran}\n{self.told()}"

    def told(self) -> str:
        mine = Q(thread=self.room.id) | Q(artifact=self.document)
        return told(list(Event.objects.filter(mine).order_by("seq")))


type Plan = Callable[[Drive], Happening]


def names() -> list[str]:
    return list(scripts(""))


_lengths: dict[type[Drive], dict[str, int]] = {}


def lengths(alice: User, monkeypatch: pytest.MonkeyPatch, kind: type[Drive] = Drive) -> dict[str, int]:
    """How many points each script has when nothing happens: counted once a process."""
    if kind not in _lengths:
        _lengths[kind] = {name: kind(alice, name, monkeypatch).play({}).count for name in names()}
    return _lengths[kind]


def cases(lengths: dict[str, int], full: int, part: int) -> list[tuple[str, int]]:
    """Some of all the points of all scripts, evenly."""
    found = [(name, point) for name, count in lengths.items() for point in range(count)]
    random.Random(len(found)).shuffle(found)
    return found[: share(min(full, len(found)), part)]


def test_an_edit_at_every_point_is_told_once(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, point in cases(lengths(alice, monkeypatch), 1_000, 10):
        drive = Drive(alice, name, monkeypatch)
        drive.play({point: drive.edit}, yields=point % 4)
        drive.check()


def test_edits_messages_and_a_stop_at_seeded_points(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = lengths(alice, monkeypatch)
    for seed in range(share(400, 10)):
        dice = random.Random(seed)
        name = dice.choice(names())
        drive = Drive(alice, name, monkeypatch)
        things: Sequence[Happening] = [drive.edit, drive.edit, drive.message("message 1"), drive.edit]
        if dice.random() < 0.5:
            things = [*things, drive.stop]
        points = dice.sample(range(counts[name]), len(things))
        drive.play(dict(zip(points, things, strict=True)), yields=dice.randrange(6))
        drive.check()


class Stolen(Drive):
    """Another process takes the thread while the turn goes on; then it dies, too, and the run goes on here."""

    kills = True
    head = 0
    written: Sequence[Event] = ()

    def steal(self) -> None:
        self._lapse()
        if claim(self.room.id, str(uuid.uuid4()), "thief") is not None:
            self.head = log.head(self.room.workspace)
            self.loop.call_soon_threadsafe(self.robbed.set)

    async def story(self, points: Points) -> None:
        self.loop, self.robbed = asyncio.get_running_loop(), asyncio.Event()
        rescue = asyncio.create_task(self._rescue(points))
        await super().story(points)
        rescue.cancel()

    async def _rescue(self, points: Points) -> None:
        """The thief holds the thread until the robbed turn is over, which has written nothing more."""
        await self.robbed.wait()
        async with asyncio.timeout(20):
            while self.runner._turns or points.active:
                await asyncio.sleep(0.002)
        await in_database(self._nothing_written)
        await in_database(self._lapse)
        self.runner.look(self.room.id)

    def _nothing_written(self) -> None:
        later = Event.objects.filter(workspace_id=self.room.workspace, seq__gt=self.head, actor_kind="agent")
        self.written = list(later)

    def _lapse(self) -> None:
        Thread.objects.filter(pk=self.room.id).exclude(claim=None).update(claimed_until=None)


def test_a_turn_that_lost_its_claim_at_any_point_writes_nothing_more(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    robbed = 0
    for name, point in cases(lengths(alice, monkeypatch), 1_000, 10):
        drive = Stolen(alice, name, monkeypatch)
        drive.play({point: drive.steal}, yields=point % 4)
        drive.check()
        assert not drive.written, drive.told()
        robbed += drive.head > 0
    print(f"{robbed} turns lost their claim")


class Deployed(Drive):
    """The process is asked to end, and another begins."""

    kills = True
    claim_left: uuid.UUID | None = None
    attempts = 0

    def deploy(self) -> None:
        self.loop.call_soon_threadsafe(self.asked.set)

    async def story(self, points: Points) -> None:
        self.loop, self.asked = asyncio.get_running_loop(), asyncio.Event()
        deployment = asyncio.create_task(self._deployment())
        await super().story(points)
        deployment.cancel()

    async def _deployment(self) -> None:
        await self.asked.wait()
        await self.shut_down()
        await in_database(self._handed_over)
        self.runner = self.next_runner
        await self.runner.start()

    async def shut_down(self) -> None:
        await self.runner.shutdown(5)

    def _handed_over(self) -> None:
        thread = Thread.objects.select_related("run").get(pk=self.room.id)
        self.claim_left = thread.claim
        self.attempts = thread.run.attempt if thread.run and thread.run.status == "running" else 0


def test_a_deploy_at_any_point_hands_the_run_over(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, point in cases(lengths(alice, monkeypatch), 1_000, 10):
        drive = Deployed(alice, name, monkeypatch)
        drive.play({point: drive.deploy}, yields=point % 4)
        drive.check()
        assert (drive.claim_left, drive.attempts) == (None, 0), f"{name} {point}\n{drive.told()}"


class Impatient(Deployed):
    """The turn is cancelled again at each step that it takes to hand over, while the database is away, too."""

    async def shut_down(self) -> None:
        ending = asyncio.create_task(self.runner.shutdown(5))
        while not ending.done():
            await asyncio.sleep(0)
            for turn in self.runner._turns.values():
                turn.cancel()


def test_a_turn_that_is_cancelled_again_and_again_is_handed_over(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, point in cases(lengths(alice, monkeypatch), 1_000, 8):
        drive = Impatient(alice, name, monkeypatch)
        drive.play({point: drive.deploy, point + 1: lose, point + 2: lose})
        drive.check()
        assert (drive.claim_left, drive.attempts) == (None, 0), f"{name} {point}\n{drive.told()}"


def is_deed(event: Event) -> bool:
    """Whether an agent did something: a refused call, whose arguments stay text, reached no tool."""
    begun = event.type == events.TOOL_CALLED and isinstance(event.data["arguments"], dict)
    return begun or event.artifact is not None


class Left(Drive):
    """The person for whom the run works may only read from then on; a colleague goes on."""

    left: int | None = None

    def __init__(self, alice: User, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(alice, name, monkeypatch)
        self.membership = alice.memberships.get()
        self.olga, _ = User.objects.get_or_create(username="olga", is_superuser=True)
        Membership.objects.update_or_create(
            user=self.olga, workspace=self.membership.workspace, defaults={"role": OWNER}
        )

    def message(self, text: str) -> Happening:
        """Whoever may say something says it, also while somebody leaves."""

        def say() -> None:
            try:
                super(Left, self).message(text)()
            except Forbidden:
                post(self.olga, self.room.id, uuid.uuid4().hex, text)

        return say

    def leave(self) -> None:
        add_member(self.olga, self.room.workspace, self.alice, VIEWER)
        self.left = log.head(self.room.workspace)
        self.alice = self.olga

    def check(self) -> None:
        super().check()
        Membership.objects.filter(pk=self.membership.pk).update(role=OWNER)
        if self.left is not None:
            hers = Run.objects.filter(thread_id=self.room.id, user=self.olga).first()
            until = hers.seq if hers else log.head(self.room.workspace)
            span = Event.objects.filter(workspace_id=self.room.workspace, seq__gt=self.left, seq__lt=until)
            deeds = [event for event in span if event.actor_kind == "agent" and is_deed(event)]
            assert not deeds, self.told()


def test_nothing_is_begun_or_committed_for_somebody_who_left_at_any_point(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: Counter[str] = Counter()
    for name, point in cases(lengths(alice, monkeypatch, Left), 1_000, 10):
        drive = Left(alice, name, monkeypatch)
        # at the first point there is no message yet, and who has left may not send one
        drive.play({max(point, 1): drive.leave}, yields=point % 4)
        drive.check()
        codes.update(Run.objects.filter(thread_id=drive.room.id).values_list("code", flat=True))
    print(f"how the runs ended: {codes}")
    assert codes["not_permitted"] > 0


def lose() -> None:
    """The database goes away: before a unit of work nothing was done; after it only its answer is lost."""
    raise OperationalError("the database is away")


def test_a_database_that_is_away_for_a_moment_at_any_point_costs_nothing(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, point in cases(lengths(alice, monkeypatch), 1_000, 10):
        drive = Drive(alice, name, monkeypatch)
        drive.play({point: lose})
        drive.check()
        outcomes = list(Run.objects.filter(thread_id=drive.room.id).values_list("code", flat=True))
        assert outcomes == ["internal" if name == "failure" else "", "", ""], (
            f"{name} {point}\n{drive.told()}"
        )
