"""Many writers at once, on the real database: no event is lost, none is numbered twice, and nobody is told "locked"."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import close_old_connections, connection, connections

from artifacts import log
from artifacts.core.actors import SYSTEM
from artifacts.core.commands import Accept, CreateArtifact, EditArtifact, ProposeChange, RespondToProposal
from artifacts.core.outcomes import Applied, Resolved
from artifacts.core.patches import Passage, WholeText
from artifacts.core.rejections import AlreadyDecided, Invalid, NotFound, Rejection, VersionConflict
from artifacts.handle import Handle
from artifacts.members import add_member, remove_member
from artifacts.models import Event, Membership, Revision, Workspace
from tests.artifacts.people import person
from tests.services import session
from tests.settings import DATABASE
from tests.shares import share

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.stress]

WRITERS = 50
ROOT = Path(__file__).parents[2]


def at_once[T](units: Sequence[Callable[[], T]]) -> list[T | BaseException]:
    """What each unit returned or raised; all begin at the same moment, each in a thread and a connection of its own."""
    outcomes: list[T | BaseException] = [RuntimeError("did not end")] * len(units)
    together = threading.Barrier(len(units))

    def carry_out(number: int) -> None:
        try:
            together.wait()
            outcomes[number] = units[number]()
        except BaseException as error:  # noqa: BLE001  # it is the outcome
            outcomes[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=carry_out, args=(number,)) for number in range(len(units))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def say(place: str, word: str) -> int:
    return log.write(place, SYSTEM, lambda entry: entry.append("said", {"word": word}, key=word))


def saying(place: str, writer: int, rounds: int) -> list[int]:
    """Write so often; PostgreSQL's connection goes back to its pool after each, as after every unit of work."""
    seqs = []
    for number in range(rounds):
        seqs.append(say(place, f"{writer}.{number}"))
        close_old_connections()
    return seqs


def place() -> str:
    return str(Workspace.objects.create(name="Place").pk)


@pytest.mark.parametrize("places", [1, WRITERS])
def test_fifty_writers_at_once_lose_nothing_and_leave_no_gap(places: int) -> None:
    rounds = share(40, 6)
    where = [place() for _ in range(places)]
    began = time.perf_counter()
    outcomes = at_once(
        [
            lambda writer=writer: saying(where[writer % places], writer, rounds)  # type: ignore[misc]  # bound now
            for writer in range(WRITERS)
        ]
    )
    seconds = time.perf_counter() - began
    print(f"{connection.vendor}: {WRITERS * rounds / seconds:.0f} commits/s, {places} workspaces")
    assert [outcome for outcome in outcomes if isinstance(outcome, BaseException)] == []
    for one in where:
        total = WRITERS * rounds // places
        events = Event.objects.filter(workspace_id=one).order_by("seq")
        assert [event.seq for event in events] == list(range(1, total + 1))
        assert log.head(one) == total
    assert Event.objects.filter(type="said").values("workspace", "key").distinct().count() == WRITERS * rounds


def test_each_writer_is_told_the_seq_of_its_own_event() -> None:
    one = place()
    outcomes = at_once([lambda writer=writer: saying(one, writer, 2) for writer in range(20)])  # type: ignore[misc]
    for writer, seqs in enumerate(outcomes):
        assert not isinstance(seqs, BaseException)
        keys = (
            Event.objects.filter(workspace_id=one, seq__in=seqs).order_by("seq").values_list("key", flat=True)
        )
        assert list(keys) == [f"{writer}.0", f"{writer}.1"]


def test_the_same_key_at_once_is_written_once() -> None:
    one = place()

    def once(entry: log.Entry) -> int:
        earlier = entry.find("k")
        return earlier.seq if earlier else entry.append("said", {}, key="k")

    outcomes = at_once([lambda: log.write(one, SYSTEM, once)] * 20)
    assert outcomes == [1] * 20
    assert log.head(one) == 1


def document(alice: Handle, text: str) -> str:
    return alice.commit(CreateArtifact("document", {"title": "Notes", "text": text})).artifact


def test_of_many_edits_of_one_version_one_stands_and_the_others_see_the_conflict(hers: Handle) -> None:
    artifact = document(hers, "")
    outcomes = at_once(
        [
            lambda writer=writer: hers.commit(EditArtifact(artifact, 1, WholeText(f"by {writer}")))  # type: ignore[misc]
            for writer in range(20)
        ]
    )
    stood = [outcome for outcome in outcomes if isinstance(outcome, Applied)]
    assert [applied.version for applied in stood] == [2]
    assert sum(isinstance(outcome, VersionConflict) for outcome in outcomes) == 19
    assert Revision.objects.filter(artifact_id=artifact).count() == 2


def test_edits_of_different_passages_at_once_all_stand(hers: Handle) -> None:
    artifact = document(hers, " ".join(f"<{writer}>" for writer in range(20)))
    outcomes = at_once(
        [
            lambda writer=writer: hers.commit(  # type: ignore[misc]
                EditArtifact(artifact, 1, Passage(f"<{writer}>", f"[{writer}]"))
            )
            for writer in range(20)
        ]
    )
    versions = sorted(outcome.version for outcome in outcomes if isinstance(outcome, Applied))
    assert versions == list(range(2, 22))
    assert hers.get(artifact).text() == " ".join(f"[{writer}]" for writer in range(20))


@pytest.mark.parametrize("round_", range(share(30, 3)))
def test_two_owners_who_remove_each_other_leave_one(
    alice: User, bob: User, workspace: str, round_: int
) -> None:
    add_member(alice, workspace, bob, "owner")
    outcomes = at_once(
        [lambda: remove_member(alice, workspace, bob), lambda: remove_member(bob, workspace, alice)]
    )
    assert sum(isinstance(outcome, int) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, NotFound) for outcome in outcomes) == 1
    assert Membership.objects.filter(workspace_id=workspace, role="owner").count() == 1


@pytest.mark.parametrize("round_", range(share(30, 3)))
def test_two_owners_who_both_step_down_leave_one(alice: User, bob: User, workspace: str, round_: int) -> None:
    add_member(alice, workspace, bob, "owner")
    outcomes = at_once(
        [lambda: add_member(alice, workspace, alice, "viewer"), lambda: remove_member(bob, workspace, bob)]
    )
    assert sum(isinstance(outcome, Invalid) for outcome in outcomes) == 1
    assert Membership.objects.filter(workspace_id=workspace, role="owner").count() == 1


def test_who_is_removed_while_they_write_writes_nothing_after_it(
    alice: User, bob: User, workspace: str
) -> None:
    his = Handle.for_user(bob, workspace)
    removed = threading.Event()

    def write() -> list[Applied | Rejection]:
        outcomes: list[Applied | Rejection] = []
        while not (removed.is_set() and outcomes and isinstance(outcomes[-1], Rejection)):
            try:
                outcomes.append(his.commit(CreateArtifact("document", {"title": "His"})))
            except Rejection as refused:
                outcomes.append(refused)
        return outcomes

    def remove() -> list[Applied | Rejection]:
        remove_member(alice, workspace, bob)
        removed.set()
        return []

    at_once([write, remove])
    types = [event.type for event in log.read(workspace, limit=100_000).events]
    assert "artifact_created" not in types[types.index("member_left") :]


def test_people_who_sign_up_at_once_each_have_a_workspace() -> None:
    people = at_once([lambda number=number: person(f"P{number}") for number in range(20)])  # type: ignore[misc]
    assert all(isinstance(one, User) for one in people)
    assert Membership.objects.filter(role="owner").values("workspace").distinct().count() == 20


@pytest.mark.parametrize("places", [1, WRITERS])
def test_fifty_people_who_edit_at_once_lose_nothing(places: int) -> None:
    rounds, documents = share(20, 3), [shared_document() for _ in range(places)]
    outcomes = at_once(
        [partial(editing, *documents[writer % places], writer, rounds) for writer in range(WRITERS)]
    )
    assert [outcome for outcome in outcomes if isinstance(outcome, BaseException)] == []
    check_nothing_lost(documents, WRITERS, rounds)


def test_a_command_that_is_asked_for_by_many_at_once_is_carried_out_once(hers: Handle) -> None:
    command = CreateArtifact("document", {"title": "Notes"}, command_id="once")
    outcomes = at_once([lambda: hers.commit(command)] * 20)
    assert len({outcome for outcome in outcomes if isinstance(outcome, Applied)}) == 1
    assert [outcome for outcome in outcomes if not isinstance(outcome, Applied)] == []
    assert hers.list().count() == 1


def test_of_many_decisions_at_once_one_stands_and_the_others_are_told(hers: Handle, bob: User) -> None:
    artifact = document(hers, "one")
    proposed = hers.commit(ProposeChange(artifact, 1, WholeText("two")))
    decision = RespondToProposal(proposed.proposal, Accept())
    outcomes = at_once([lambda: Handle.for_user(bob, hers.workspace).commit(decision)] * 20)
    assert sum(isinstance(outcome, Resolved) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, AlreadyDecided) for outcome in outcomes) == 19
    assert hers.get(artifact).version == 2


def hands(place: str) -> Handle:
    return Handle(place, SYSTEM, lambda: None)


def shared_document() -> tuple[str, str]:
    """A workspace, and a document in it with a line for each writer."""
    one = place()
    return one, document(hands(one), "".join(f"<{writer}.0>\n" for writer in range(WRITERS)))


def editing(place: str, artifact: str, writer: int, rounds: int) -> None:
    """Change one's own line so often, each time from the version that stands."""
    for number in range(rounds):
        patch = Passage(f"<{writer}.{number}>", f"<{writer}.{number + 1}>")
        hands(place).commit(EditArtifact(artifact, 1, patch))
        close_old_connections()


def check_nothing_lost(documents: list[tuple[str, str]], writers: int, rounds: int) -> None:
    """Every writer's last line stands, every version is there, and the log has no gap."""
    for number, (one, artifact) in enumerate(documents):
        here = [writer for writer in range(writers) if writer % len(documents) == number]
        lines = set((hands(one).get(artifact).text() or "").split())
        assert lines >= {f"<{writer}.{rounds}>" for writer in here}
        versions = list(Revision.objects.filter(artifact_id=artifact).values_list("version", flat=True))
        assert sorted(versions) == list(range(1, len(here) * rounds + 2))
        seqs = Event.objects.filter(workspace_id=one).order_by("seq").values_list("seq", flat=True)
        assert list(seqs) == list(range(1, len(here) * rounds + 2))


WRITER = """
import sys, django
django.setup()
from artifacts.core.actors import SYSTEM
from artifacts.core.commands import EditArtifact
from artifacts.core.patches import Passage
from artifacts.handle import Handle
place, artifact, writer, rounds = sys.argv[1:]
hands = Handle(place, SYSTEM, lambda: None)
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(rounds)):
    hands.commit(EditArtifact(artifact, 1, Passage(f"<{writer}.{number}>", f"<{writer}.{number + 1}>")))
print("written", flush=True)
from django.db import connection
connection.close()
getattr(connection, "close_pool", int)()  # else PostgreSQL's pool takes twenty seconds to end
"""


@pytest.mark.parametrize("places", [1, WRITERS])
def test_many_processes_that_edit_at_once_lose_nothing(places: int) -> None:
    processes, rounds = share(WRITERS, 3), share(20, 2)
    documents = [shared_document() for _ in range(min(places, processes))]
    writers = [
        start_writer(*documents[number % len(documents)], number, rounds) for number in range(processes)
    ]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    began = time.perf_counter()
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()
    seconds = time.perf_counter() - began
    print(f"{connection.vendor}: {processes * rounds / seconds:.0f} edits/s by {processes} processes")
    complaints = [writer.communicate()[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * processes, "\n".join(complaints)
    check_nothing_lost(documents, processes, rounds)


def start_writer(place: str, artifact: str, writer: int, rounds: int) -> subprocess.Popen[str]:
    """A process that waits for a line, then writes."""
    name = str(connection.settings_dict["NAME"])
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "artifactr_site.settings",
        "ARTIFACTR_SECRET_KEY": session.SECRET_KEY,
        "ARTIFACTR_DATABASE_URL": f"sqlite:///{name}"
        if DATABASE == "sqlite"
        else session.database_url(DATABASE, name),
    }
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, place, artifact, str(writer), str(rounds)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
