"""How proposals stand before anyone decides, and who has to propose."""

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

import pytest
from django.contrib.auth.models import User

from artifacts.core.actors import agent_actor
from artifacts.core.commands import (
    Accept,
    ArchiveArtifact,
    CreateArtifact,
    EditArtifact,
    ProposeChange,
    RespondToProposal,
)
from artifacts.core.kinds import Kind, base
from artifacts.core.outcomes import Applied, Proposed
from artifacts.core.patches import JsonPatch, Passage, Patch, WholeData, WholeText
from artifacts.core.rejections import CommandIdReused, Forbidden, Invalid, OutOfDate
from artifacts.handle import Handle
from artifacts.models import Artifact, Proposal, Revision
from artifacts.proposals import Standing, standing

pytestmark = pytest.mark.django_db

TEXT = "one\ntwo\nthree\n"


@pytest.fixture
def tea(hers: Handle) -> str:
    return hers.commit(CreateArtifact("document", {"title": "Tea", "text": TEXT})).artifact


def proposed(handle: Handle, artifact: str, patch: Patch) -> str:
    return handle.commit(ProposeChange(artifact, handle.get(artifact).version, patch)).proposal


def stands(handle: Handle, proposal: str) -> Standing:
    return standing(handle.proposal(proposal))


@pytest.mark.parametrize(
    ("patch", "meanwhile", "text"),
    [
        (Passage("two", "2"), None, "one\n2\nthree\n"),
        (WholeText("one\n2\nthree\n"), None, "one\n2\nthree\n"),
        (Passage("two", "2"), Passage("one", "1"), "1\n2\nthree\n"),
        (Passage("two", "2"), WholeText(f"two\n{TEXT}"), "two\none\n2\nthree\n"),
        (Passage("two", "2"), WholeText("three\ntwo\none\n"), "three\n2\none\n"),
        (WholeText("one\n2\nthree\n"), Passage("three", "3"), "one\n2\n3\n"),
        (WholeText("one\n2\nthree\n"), WholeText("one\n2\nthree\n"), "one\n2\nthree\n"),
        (
            WholeData({"title": "Tea", "text": TEXT + "four\n"}),
            WholeData({"title": "Green tea", "text": TEXT}),
            TEXT + "four\n",
        ),
        (
            JsonPatch([{"op": "replace", "path": "/text", "value": "two\nthree\n"}]),
            Passage("three", "3"),
            "two\n3\n",
        ),
    ],
)
def test_a_proposal_that_applies_says_what_it_leads_to(
    hers: Handle, tea: str, patch: Patch, meanwhile: Patch | None, text: str
) -> None:
    proposal = proposed(hers, tea, patch)
    if meanwhile is not None:
        hers.commit(EditArtifact(tea, 1, meanwhile))
    found = stands(hers, proposal)
    assert found.applies
    assert (found.data or {})["text"] == text
    assert (found.conflicts, found.why) == ((), "")


@pytest.mark.parametrize(
    ("patch", "meanwhile", "conflicts"),
    [
        (Passage("two", "2"), Passage("two", "deux"), ("text",)),
        (Passage("two", "2"), WholeText("one\nthree\n"), ("text",)),
        (WholeData({"title": "A", "text": ""}), WholeData({"title": "B", "text": "x"}), ("text", "title")),
    ],
)
def test_a_proposal_that_is_out_of_date_says_so_before_anyone_decides(
    hers: Handle, bob: User, tea: str, patch: Patch, meanwhile: Patch, conflicts: tuple[str, ...]
) -> None:
    proposal = proposed(hers, tea, patch)
    hers.commit(EditArtifact(tea, 1, meanwhile))
    found = stands(hers, proposal)
    assert (found.applies, found.conflicts) == (False, conflicts)
    assert conflicts[0] in found.why
    with pytest.raises(OutOfDate) as refused:
        Handle.for_user(bob, hers.workspace).commit(RespondToProposal(proposal, Accept()))
    assert found.why in refused.value.message


def test_a_proposal_for_what_is_archived_or_of_a_kind_that_has_changed_says_why(
    hers: Handle, tea: str
) -> None:
    proposal = proposed(hers, tea, WholeText("x"))
    hers.commit(ArchiveArtifact(tea))
    assert stands(hers, proposal).why == "“Tea” is archived."
    rows = Artifact.objects.filter(pk=tea)
    rows.update(archived_at=None, data={"title": "Tea", "text": "changed beside the log"})
    assert stands(hers, proposal).why == "What a document holds has changed since."
    rows.update(kind="scroll")
    assert "There is no kind 'scroll'" in stands(hers, proposal).why


def test_proposals_are_those_of_the_workspace(hers: Handle, bob: User, charlie: User, tea: str) -> None:
    first, second = (proposed(hers, tea, WholeText(text)) for text in "ab")
    other = hers.commit(CreateArtifact("document", {"title": "Other"})).artifact
    assert [str(row.pk) for row in hers.proposals()] == [second, first]
    assert [str(row.pk) for row in hers.proposals(tea)] == [second, first]
    assert list(hers.proposals(other)) == []
    his = Handle.for_user(charlie, str(charlie.memberships.get().workspace_id))
    assert list(his.proposals()) == []


def test_a_large_proposal_is_stored_as_what_it_changes(hers: Handle) -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))
    long = hers.commit(CreateArtifact("document", {"title": "Long", "text": text})).artifact
    proposal = proposed(hers, long, WholeText(text.replace("line 7\n", "line seven\n")))
    assert len(str(Proposal.objects.get(pk=proposal).patch)) < 200


# --- Who has to propose


@pytest.fixture
def contracts() -> Iterator[None]:
    """A kind of a site's own in which agents only propose."""

    class Contract(Kind):
        write_policy: ClassVar[Literal["direct", "propose"]] = "propose"
        title_field: ClassVar[str] = "party"

        party: str
        sum: float = 0

        def title(self) -> str:
            return self.party

    yield
    del base._registered["contract"]


@pytest.mark.usefixtures("contracts")
def test_under_the_policy_propose_what_an_agent_changes_becomes_a_proposal(hers: Handle) -> None:
    agent = Handle(hers.workspace, agent_actor("t"), lambda: None)
    contract = agent.commit(CreateArtifact("contract", {"party": "Bob", "sum": 1e16})).artifact
    change = EditArtifact(contract, 1, WholeData({"party": "Bob", "sum": 2}))
    assert isinstance(agent.commit(change), Proposed)
    with pytest.raises(Forbidden):
        agent.commit(ArchiveArtifact(contract))
    assert isinstance(hers.commit(change), Applied)
    assert [row.data["sum"] for row in Revision.objects.order_by("version")] == [1e16, 2]


# --- What is stored


def history(handle: Handle, artifact: str) -> list[Any]:
    return [row.data["text"] for row in handle.get(artifact).revisions.order_by("version")]


def test_every_version_is_rebuilt_over_many_that_are_whole_and_many_that_are_not(
    hers: Handle, tea: str
) -> None:
    texts = [TEXT]
    for number in range(120):
        texts.append(f"{texts[-1]}{number % 7}" if number % 40 else f"all new {number}\n" * 30)
        hers.commit(EditArtifact(tea, number + 1, WholeText(texts[-1])))
    assert history(hers, tea) == texts
    rows = Revision.objects.filter(artifact_id=tea)
    assert 4 <= rows.filter(patch__isnull=True).count() <= 40
    assert not rows.filter(patch__isnull=True, snapshot__isnull=True).exists()
    assert not rows.filter(patch__isnull=False, snapshot__isnull=False).exists()


def test_a_row_that_was_changed_beside_the_log_breaks_no_history(hers: Handle, tea: str) -> None:
    Artifact.objects.filter(pk=tea).update(data={"title": "Tea", "text": "migrated"})
    hers.commit(EditArtifact(tea, 1, Passage("migrated", "edited")))
    hers.commit(EditArtifact(tea, 2, Passage("edited", "edited twice")))
    assert history(hers, tea) == [TEXT, "edited", "edited twice"]


# --- Asking twice


def test_a_command_that_is_asked_for_again_gets_its_first_outcome(hers: Handle, bob: User, tea: str) -> None:
    command = EditArtifact(tea, 1, WholeText("x"), command_id="c")
    first = hers.commit(command)
    hers.commit(EditArtifact(tea, 2, WholeText("y")))
    assert hers.commit(command) == first
    assert hers.get(tea).text() == "y"


def test_a_command_id_is_its_actor_s_own_and_for_one_command(hers: Handle, bob: User, tea: str) -> None:
    hers.commit(EditArtifact(tea, 1, Passage("one", "1"), command_id="c"))
    his = Handle.for_user(bob, hers.workspace)
    done = his.commit(EditArtifact(tea, 1, Passage("two", "2"), command_id="c"))
    assert isinstance(done, Applied)
    assert done.version == 3
    with pytest.raises(CommandIdReused):
        hers.commit(EditArtifact(tea, 1, Passage("three", "3"), command_id="c"))
    with pytest.raises(Invalid):
        hers.commit(EditArtifact(tea, 3, WholeText(""), command_id=""))


def test_what_was_refused_is_tried_anew(hers: Handle, tea: str) -> None:
    command = EditArtifact(tea, 1, Passage("four", "4"), command_id="c")
    with pytest.raises(Exception, match="does not occur"):
        hers.commit(command)
    hers.commit(EditArtifact(tea, 1, Passage("three", "three four")))
    done = hers.commit(command)
    assert isinstance(done, Applied)
    assert done.version == 3
