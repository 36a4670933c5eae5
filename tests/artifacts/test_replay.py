"""Replaying the log predicts the rows: whatever several people and an agent do, in any order.

Events carry everything but the content of a version, which only its revision holds: the machine remembers what it sent.
"""

import uuid
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from artifacts import log
from artifacts.core.actors import agent_actor
from artifacts.core.commands import (
    Accept,
    ArchiveArtifact,
    Asked,
    CreateArtifact,
    EditArtifact,
    ProposeChange,
    PublishArtifact,
    Reject,
    RespondToProposal,
    RestoreRevision,
    UnarchiveArtifact,
    UnpublishArtifact,
    WithdrawProposal,
)
from artifacts.core.kinds import Document
from artifacts.core.outcomes import Applied, Outcome, Proposed, Resolved
from artifacts.core.patches import Passage, Patch, WholeData, WholeText, applied
from artifacts.core.rejections import Forbidden, NotFound, Rejection
from artifacts.core.rules import require_editor
from artifacts.handle import Handle
from artifacts.invitations import accept, invite
from artifacts.members import actor_of, add_member, found_workspace, remove_member, role_of
from artifacts.models import Artifact, Proposal, Revision
from artifacts.proposals import standing
from tests.artifacts.people import person
from tests.artifacts.replaying import Replayed, stored
from tests.shares import share

pytestmark = pytest.mark.django_db

type Doer = tuple[int, bool]
"""A person, and whether an agent does it for them."""


PEOPLE: list[User] = []
SUGGESTS = 1
"""Whose agent may only suggest: Bob's."""
WHO = st.sampled_from([0, 0, 0, 1, 1, 2])
DOERS = st.tuples(WHO, st.booleans())
ROLES = st.sampled_from(["viewer", "editor", "owner", "owner", "nonsense"])
TEXTS = st.sampled_from(["", "one", "one two", "two one two", "é\n", "one", "two", "\x00"])
SUMMARIES = st.sampled_from(["", "Why", "Because", "x" * 501])
NTH = st.sampled_from([0, 0, 0, 1, 2, 9])


class Workspace(RuleBasedStateMachine):
    """Three people and an agent in a workspace that the first one founded."""

    def __init__(self) -> None:
        super().__init__()
        self.workspace = str(found_workspace(PEOPLE[0], "Place").pk)
        self.replayed = Replayed()
        self.position = 0
        self.tokens = [""]
        self.ids: list[str] = []
        self.contents: dict[tuple[str, int], dict[str, Any]] = {}
        self.ideas: list[str] = []

    @initialize()
    def bob_edits_a_document(self) -> None:
        """So that there is something to do from the first step on."""
        add_member(PEOPLE[0], self.workspace, PEOPLE[1], "editor")
        self.the_log_has_no_gap_and_predicts_the_rows()
        self.create_a_document((0, False), "one")
        self.the_log_has_no_gap_and_predicts_the_rows()
        self.write_a_text((1, False), 0, 0, "one two", "")

    def _artifact(self, nth: int) -> str:
        return self.ids[nth] if nth < len(self.ids) else str(uuid.UUID(int=nth))

    def _newest(self, artifact: str) -> int:
        return int(self.replayed.artifacts.get(artifact, {"version": 1})["version"])

    def _commit(self, doer: Doer, command: Asked[Any]) -> Any:
        """Carry it out as a person, or as an agent that acts for them; None if it was refused.

        It is asked for twice under one id: the second time gets the outcome of the first, and changes nothing.
        """
        who, by_agent = doer
        user, head = PEOPLE[who], log.head(self.workspace)
        thread = str(uuid.UUID(int=who + 1)) if by_agent else None
        actor = agent_actor(thread) if thread else actor_of(user)
        role = self.replayed.members.get(user.pk, {}).get("role")

        def guard() -> None:
            require_editor(role_of(user.pk, self.workspace))

        handle = Handle(self.workspace, actor, guard, thread, suggests=lambda: who == SUGGESTS)
        command = replace(command, command_id=uuid.uuid4().hex)
        try:
            outcome: Outcome = handle.commit(command)
        except Rejection as refused:
            assert log.head(self.workspace) == head
            expected = {None: NotFound, "viewer": Forbidden}.get(role, Rejection)
            if not isinstance(refused, expected):
                raise
            return None
        assert role in ("editor", "owner")
        assert outcome.seq == log.head(self.workspace)
        assert handle.commit(command) == outcome
        assert outcome.seq == log.head(self.workspace)
        if isinstance(outcome, Proposed):
            self.ideas.append(outcome.proposal)
            return None
        return outcome

    @rule(doer=DOERS, text=TEXTS)
    def create_a_document(self, doer: Doer, text: str) -> None:
        data = {"title": "Notes", "text": text}
        if done := self._commit(doer, CreateArtifact("document", data)):
            self.ids.append(done.artifact)
            self.contents[done.artifact, 1] = data

    @rule(doer=DOERS, goal=st.sampled_from(["Paint", "", "Build"]))
    def create_a_plan(self, doer: Doer, goal: str) -> None:
        if done := self._commit(doer, CreateArtifact("plan", {"goal": goal})):
            self.ids.append(done.artifact)
            self.contents[done.artifact, 1] = {"goal": goal, "tasks": []}

    @rule(doer=DOERS, nth=NTH, behind=st.integers(-1, 2), text=TEXTS, summary=SUMMARIES)
    def write_a_text(self, doer: Doer, nth: int, behind: int, text: str, summary: str) -> None:
        artifact = self._artifact(nth)
        before = self.contents.get((artifact, self._newest(artifact)), {})
        base = self._newest(artifact) - behind
        if done := self._commit(doer, EditArtifact(artifact, base, WholeText(text), summary)):
            assert behind == 0
            self._expect(done, before, {**before, "text": text})

    @rule(doer=DOERS, nth=NTH, behind=st.integers(-1, 2), old=TEXTS, new=TEXTS)
    def replace_a_passage(self, doer: Doer, nth: int, behind: int, old: str, new: str) -> None:
        artifact = self._artifact(nth)
        before = self.contents.get((artifact, self._newest(artifact)), {})
        base = self._newest(artifact) - behind
        if done := self._commit(doer, EditArtifact(artifact, base, Passage(old, new))):
            assert behind >= 0
            assert before["text"].count(old) == 1
            self._expect(done, before, {**before, "text": before["text"].replace(old, new)})

    @rule(doer=DOERS, nth=NTH, data=st.fixed_dictionaries({"title": TEXTS, "text": TEXTS}))
    def write_it_all(self, doer: Doer, nth: int, data: dict[str, Any]) -> None:
        artifact = self._artifact(nth)
        before = self.contents.get((artifact, self._newest(artifact)), {})
        command = EditArtifact(artifact, self._newest(artifact), WholeData(data))
        if done := self._commit(doer, command):
            self._expect(done, before, data)

    def _expect(self, done: Applied | Resolved, before: dict[str, Any], after: dict[str, Any]) -> None:
        newest = self._newest(done.artifact)
        assert done.version == (newest if before == after else newest + 1)
        self.contents[done.artifact, done.version] = after

    @rule(doer=DOERS, nth=NTH, version=st.sampled_from([1, 1, 2, 2, 3, 0]))
    def restore(self, doer: Doer, nth: int, version: int) -> None:
        artifact = self._artifact(nth)
        before = self.contents.get((artifact, self._newest(artifact)), {})
        if done := self._commit(doer, RestoreRevision(artifact, version)):
            self._expect(done, before, self.contents[artifact, version])

    @rule(doer=DOERS, nth=NTH, behind=st.integers(0, 2), old=TEXTS, new=TEXTS, summary=SUMMARIES)
    def propose(self, doer: Doer, nth: int, behind: int, old: str, new: str, summary: str) -> None:
        artifact = self._artifact(nth)
        base = self._newest(artifact) - behind
        self._commit(
            doer, ProposeChange(artifact, base, Passage(old, new) if old else WholeText(new), summary)
        )

    @rule(doer=DOERS, nth=NTH, changes=st.sampled_from([None, WholeText("one two"), Passage("one", "two")]))
    def accept(self, doer: Doer, nth: int, changes: Patch | None) -> None:
        proposal = Proposal.objects.select_related("artifact").filter(pk=self._idea(nth)).first()
        command = RespondToProposal(self._idea(nth), Accept(changes=changes))
        if proposal is None:
            assert self._commit(doer, command) is None
            return
        artifact = proposal.artifact
        stands, before = standing(proposal), artifact.data
        if isinstance(changes, WholeText):
            command = RespondToProposal(self._idea(nth), Accept(artifact.version, changes))
        if resolved := self._commit(doer, command):
            start = stands.data or before
            after = applied(changes, Document, start).model_dump() if changes else start
            assert stands.applies or isinstance(changes, WholeText)
            self._expect(resolved, before, after)

    @rule(doer=DOERS, nth=NTH, reason=SUMMARIES)
    def reject(self, doer: Doer, nth: int, reason: str) -> None:
        self._commit(doer, RespondToProposal(self._idea(nth), Reject(reason)))

    @rule(doer=DOERS, nth=NTH)
    def withdraw(self, doer: Doer, nth: int) -> None:
        self._commit(doer, WithdrawProposal(self._idea(nth)))

    def _idea(self, nth: int) -> str:
        return self.ideas[-nth - 1] if nth < len(self.ideas) else str(uuid.UUID(int=nth))

    @rule(doer=DOERS, nth=NTH)
    def unarchive(self, doer: Doer, nth: int) -> None:
        self._commit(doer, UnarchiveArtifact(self._artifact(nth)))

    @rule(doer=DOERS, nth=NTH)
    def unpublish(self, doer: Doer, nth: int) -> None:
        pages = [*self.replayed.publications, str(uuid.UUID(int=nth))]
        self._commit(doer, UnpublishArtifact(pages[nth % len(pages)]))

    @rule(doer=DOERS, nth=NTH)
    def archive(self, doer: Doer, nth: int) -> None:
        self._commit(doer, ArchiveArtifact(self._artifact(nth)))

    @rule(doer=DOERS, nth=NTH, version=st.sampled_from([1, 1, 2, 2, 3, 0]))
    def publish(self, doer: Doer, nth: int, version: int) -> None:
        if done := self._commit(doer, PublishArtifact(self._artifact(nth), version)):
            assert done.version == version

    @rule(who=WHO, whom=WHO, role=ROLES)
    def add(self, who: int, whom: int, role: str) -> None:
        head = log.head(self.workspace)
        try:
            add_member(PEOPLE[who], self.workspace, PEOPLE[whom], role)
        except Rejection:
            assert log.head(self.workspace) == head
        else:
            assert self.replayed.members[PEOPLE[who].pk]["role"] == "owner"

    @rule(who=WHO, whom=WHO)
    def remove(self, who: int, whom: int) -> None:
        head = log.head(self.workspace)
        try:
            remove_member(PEOPLE[who], self.workspace, PEOPLE[whom])
        except Rejection:
            assert log.head(self.workspace) == head
        else:
            assert self.replayed.members[PEOPLE[who].pk]["role"] == "owner" or who == whom

    @rule(who=WHO, email=st.sampled_from(["d@x.org", "D@x.org", "e@x.org", "nonsense"]), role=ROLES)
    def invite_somebody(self, who: int, email: str, role: str) -> None:
        with suppress(Rejection):
            self.tokens.append(invite(PEOPLE[who], self.workspace, email, role).token)

    @rule(who=WHO, nth=NTH)
    def come_by_invitation(self, who: int, nth: int) -> None:
        head = log.head(self.workspace)
        try:
            accept(PEOPLE[who], self.tokens[nth % len(self.tokens)])
        except Rejection:
            assert log.head(self.workspace) == head

    @invariant()
    def the_log_has_no_gap_and_predicts_the_rows(self) -> None:
        window = log.read(self.workspace, after=self.position)
        assert [event.seq for event in window.events] == list(range(self.position + 1, window.head + 1))
        self.position = window.head
        for event in window.events:
            self.replayed.apply(event)
        assert stored(self.workspace) == self.replayed

    @invariant()
    def somebody_owns_it(self) -> None:
        assert not self.position or "owner" in [row["role"] for row in self.replayed.members.values()]

    @invariant()
    def every_version_holds_what_was_written(self) -> None:
        revisions = Revision.objects.filter(artifact__workspace_id=self.workspace)
        found = {(str(row.artifact_id), row.version): row.data for row in revisions}
        assert found == self.contents
        for artifact in Artifact.objects.filter(workspace_id=self.workspace):
            assert artifact.data == self.contents[str(artifact.pk), artifact.version]


@pytest.mark.stress
def test_replaying_the_log_predicts_the_rows() -> None:
    PEOPLE[:] = [person(name) for name in ("Alice", "Bob", "Charlie")]
    run_state_machine_as_test(
        Workspace,
        settings=settings(
            max_examples=share(300, 10),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
