"""One request decided from several surfaces at the same moment: the first wins, and the others are told by whom."""

import random
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connections

from artifacts.core.rejections import Rejection
from artifacts.governing import Governance, govern
from artifacts.models import Event
from tests.shares import share
from tests.threads.admin.asking import approval, signed_in, staff, waiting, workspace_of
from threads.models import Request, Run
from threads.turns import archive, post, stop
from threads.turns.claiming import claim

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("connections_closed"),
    pytest.mark.stress,
]

QUEUE = "/admin/threads/request/"


@dataclass(frozen=True)
class Told:
    """What somebody got: whether they decided it, and the words otherwise; None for who was not refused anything."""

    who: str
    decided: bool
    words: str | None = None


class Table:
    """The people around one request, and what each does at once with the others."""

    def __init__(self) -> None:
        self.alice = User.objects.create_user("alice")
        self.rita, self.rob = (staff(name, "decide_approvals") for name in ("rita", "rob"))
        self.request: Request
        self.clients = {user: signed_in(user) for user in (self.alice, self.rita, self.rob)}

    def ask(self) -> None:
        self.request = waiting(self.alice, approval({"what": "it"}, "launch"))[0]

    def admin(self, who: User, decision: str) -> Told:
        address = f"{QUEUE}{self.request.pk}/change/"
        answered = self.clients[who].post(address, {"decision": decision, "reason": "so"})
        if answered.status_code == 302:
            return Told(who.username, decided=True)
        assert answered.status_code == 409
        return Told(who.username, decided=False, words=answered.content.decode())

    def in_bulk(self, who: User) -> Told:
        client = self.clients[who]
        posted = {"action": "approve_selected", "confirmed": "yes", "index": "0"}
        answered = client.post(QUEUE, {**posted, "_selected_action": [str(self.request.pk)]}, follow=True)
        words = answered.content.decode()
        return Told(who.username, decided="1 approved." in words, words=words)

    def on_the_page(self) -> Told:
        address = f"/requests/{self.request.pk}/answer/"
        answered = self.clients[self.alice].post(address, {"decision": "approve"})
        if answered.status_code == 303:
            return Told("alice", decided=True)
        assert answered.status_code == 409
        return Told("alice", decided=False, words=answered.content.decode())

    def by_message(self) -> Told:
        said = post(self.alice, str(self.request.thread_id), uuid.uuid4().hex, "No, leave it")
        return Told("alice", decided=said.reply)

    def ended(self, command: Callable[[User, str], object]) -> Told:
        try:
            command(self.alice, str(self.request.thread_id))
        except Rejection as refused:
            return Told("alice", decided=False, words=refused.message)
        settled = Event.objects.get(
            type="request_answered", about=self.request.seq, thread=self.request.thread_id
        )
        return Told("alice", decided=settled.data["decision"] == "closed")


def at_once(acts: list[Callable[[], Told]], *, together: bool) -> list[Told]:
    """All of them in threads of their own, at the same moment or one after the other."""
    if not together:
        return [act() for act in acts]
    barrier = Barrier(len(acts))

    def begun(act: Callable[[], Told]) -> Told:
        barrier.wait()
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(begun, acts))


PAIRS = {
    "page and admin": ("page", "admin"),
    "two admins": ("admin", "other admin"),
    "message and admin": ("message", "admin"),
    "bulk and admin": ("bulk", "other admin"),
    "stop and admin": ("stop", "admin"),
    "archive and admin": ("archive", "admin"),
    "all of them": ("page", "admin", "other admin", "message"),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_the_first_wins_and_the_others_are_told(pair: str) -> None:
    table, winners = Table(), Counter[str]()
    members_too(table)
    acts: dict[str, Callable[[], Told]] = {
        "page": table.on_the_page,
        "admin": lambda: table.admin(table.rita, "approve"),
        "other admin": lambda: table.admin(table.rob, "decline"),
        "bulk": lambda: table.in_bulk(table.rita),
        "message": table.by_message,
        "stop": lambda: table.ended(stop),
        "archive": lambda: table.ended(archive),
    }
    for seed in range(share(200, 6)):
        chance = random.Random(f"{pair} {seed}")
        table.ask()
        chosen = list(PAIRS[pair])
        chance.shuffle(chosen)
        told = at_once([acts[name] for name in chosen], together=chance.random() < 0.5)
        settled = Event.objects.get(
            type="request_answered", about=table.request.seq, thread=table.request.thread_id
        )
        request, run = Request.objects.get(pk=table.request.pk), Run.objects.get(pk=table.request.run_id)
        assert [one.who for one in told if one.decided] == [settled.actor_name], (pair, seed, told)
        assert (request.state, request.decided_by) == (settled.data["decision"], settled.actor_name)
        refused = [one.words for one in told if not one.decided and one.words is not None]
        assert all(f" by {settled.actor_name}" in words for words in refused), (pair, seed, refused)
        assert len(told) == len(chosen)
        if run.status == "ready":
            claimed = claim(str(run.thread_id), str(uuid.uuid4()), "test")
            assert claimed is not None
            assert claimed.trigger == "resume"
        else:
            assert run.status == "stopped"
        winners[settled.actor_name] += 1
    print(pair, dict(winners))


def members_too(table: Table) -> None:
    """Alice may decide too: her workspace is governed so."""
    root = User.objects.create_superuser("root")
    govern(root, workspace_of(table.alice), Governance(editors_decide=True))
