"""What a handle may read and change: every outcome of every command."""

import uuid
from dataclasses import replace
from typing import Any, cast

import pytest
from django.contrib.auth.models import User

from artifacts import log
from artifacts.core.actors import agent_actor
from artifacts.core.commands import (
    ArchiveArtifact,
    Command,
    CreateArtifact,
    EditArtifact,
    PublishArtifact,
)
from artifacts.core.envelope import Envelope
from artifacts.core.notes import DESCRIPTION_LIMIT, PASSAGE_LIMIT, PASSAGES_LIMIT, notes
from artifacts.core.outcomes import Applied, Outcome
from artifacts.core.patches import Passage, Patch, WholeData, WholeText
from artifacts.core.rejections import (
    Archived,
    Forbidden,
    Invalid,
    NotFound,
    PatchFailed,
    Rejection,
    TooLarge,
    VersionConflict,
)
from artifacts.handle import Handle
from artifacts.members import add_member, remove_member
from artifacts.models import Artifact, Event, Publication, Revision
from tests.artifacts.people import workspace_of

pytestmark = pytest.mark.django_db

NOBODY = str(uuid.UUID(int=1))


@pytest.fixture
def notes_(hers: Handle) -> str:
    """A document of Alice's: version 2 says “one two three”, version 1 said “one two”."""
    artifact = create(hers, "one two")
    hers.commit(EditArtifact(artifact, 1, WholeText("one two three")))
    return artifact


def create(handle: Handle, text: str = "", title: str = "Notes") -> str:
    return handle.commit(CreateArtifact("document", {"title": title, "text": text})).artifact


def newest(handle: Handle) -> Envelope:
    return log.read(handle.workspace, after=log.head(handle.workspace) - 1).events[0]


def everything() -> list[Any]:
    """Every row that a command could change."""
    return [
        list(rows.order_by("pk").values())
        for rows in (Artifact.objects, Revision.objects, Publication.objects, Event.objects)
    ]


# --- What succeeds


def test_creating_makes_version_one_with_its_revision_and_event(hers: Handle) -> None:
    head = log.head(hers.workspace)
    applied = hers.commit(CreateArtifact("plan", {"goal": "Paint", "tasks": [{"id": "1", "name": "Buy"}]}))
    artifact = hers.get(applied.artifact)
    assert applied == Applied(str(artifact.pk), 1, head + 1, "Paint")
    assert (artifact.kind, artifact.title, artifact.version, artifact.changed_by) == (
        "plan",
        "Paint",
        1,
        "Alice",
    )
    assert artifact.data == {
        "goal": "Paint",
        "tasks": [{"id": "1", "name": "Buy", "status": "todo", "note": ""}],
    }
    revision = artifact.revisions.get()
    assert (revision.version, revision.data, revision.seq) == (1, artifact.data, applied.seq)
    assert (revision.actor_kind, revision.actor_id, revision.actor_name) == ("user", hers.actor.id, "Alice")
    event = newest(hers)
    assert event.data == {"kind": "plan", "title": "Paint", "version": 1, "summary": ""}
    assert (event.type, event.seq, event.artifact) == ("artifact_created", applied.seq, applied.artifact)
    assert (event.about, event.thread) == (None, None)
    assert artifact.created_seq == event.seq
    assert artifact.created_at == artifact.changed_at == revision.at == event.at


@pytest.mark.parametrize(
    ("base", "patch", "text"),
    [
        (2, WholeText("new"), "new"),
        (2, WholeData({"title": "Notes", "text": "new"}), "new"),
        (2, Passage("two", "2"), "one 2 three"),
        (1, Passage("three", "3"), "one two 3"),
        (1, Passage("one two three", ""), ""),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, int | str) else None,
)
def test_an_edit_makes_the_next_version(
    hers: Handle, notes_: str, base: int, patch: Patch, text: str
) -> None:
    created = hers.get(notes_).created_seq
    applied = hers.commit(EditArtifact(notes_, base, patch, summary="Why"))
    assert isinstance(applied, Applied)
    artifact = hers.get(notes_)
    assert (applied.version, artifact.version, artifact.text()) == (3, 3, text)
    revision = artifact.revisions.get(version=3)
    assert (revision.data, revision.summary, revision.seq) == (artifact.data, "Why", applied.seq)
    event = newest(hers)
    assert (event.type, event.seq, event.about) == ("artifact_edited", applied.seq, created)
    assert (event.data["version"], event.data["base"], event.data["summary"]) == (3, base, "Why")
    assert [row.data["text"] for row in artifact.revisions.order_by("version")] == [
        "one two",
        "one two three",
        text,
    ]


def test_an_edit_that_changes_the_title_changes_it_everywhere(hers: Handle, notes_: str) -> None:
    hers.commit(EditArtifact(notes_, 2, WholeData({"title": "Better", "text": "one two three"})))
    assert hers.get(notes_).title == newest(hers).data["title"] == "Better"
    assert hers.get(notes_).revisions.get(version=3).title == "Better"
    assert newest(hers).data["changes"] == [{"old": "Notes", "new": "Better"}]


@pytest.mark.parametrize(
    "patch",
    [
        WholeText("one two three"),
        Passage("two", "two"),
        WholeData({"title": "Notes", "text": "one two three"}),
    ],
)
def test_an_edit_that_changes_nothing_writes_nothing(hers: Handle, notes_: str, patch: Patch) -> None:
    before = everything()
    applied = hers.commit(EditArtifact(notes_, 2, patch))
    assert applied == Applied(notes_, 2, log.head(hers.workspace), "Notes")
    assert everything() == before


def test_archiving_takes_it_out_of_the_list_and_keeps_it(hers: Handle, notes_: str) -> None:
    applied = hers.commit(ArchiveArtifact(notes_))
    assert (applied.version, applied.seq) == (2, log.head(hers.workspace))
    event = newest(hers)
    assert (event.type, event.data, event.about) == (
        "artifact_archived",
        {"title": "Notes"},
        hers.get(notes_).created_seq,
    )
    assert hers.get(notes_).archived_at == event.at
    assert list(hers.list()) == []
    assert hers.get(notes_).revisions.count() == 2


def test_exactly_the_version_that_was_named_is_published(hers: Handle, notes_: str) -> None:
    applied = hers.commit(PublishArtifact(notes_, 1))
    publication = Publication.objects.get()
    assert str(publication.pk) == applied.publication
    assert (publication.revision.version, publication.revision.data["text"]) == (1, "one two")
    assert (applied.version, publication.published_by) == (1, "Alice")
    event = newest(hers)
    assert event.data == {"publication": applied.publication, "title": "Notes", "version": 1}
    assert publication.published_at == event.at


def test_publishing_twice_is_the_same_publication(hers: Handle, notes_: str) -> None:
    first = hers.commit(PublishArtifact(notes_, 2))
    before = everything()
    second = hers.commit(PublishArtifact(notes_, 2))
    assert (second.publication, second.version) == (first.publication, 2)
    assert everything() == before
    assert hers.commit(PublishArtifact(notes_, 1)).publication != first.publication


def test_the_list_has_the_last_changed_first(hers: Handle) -> None:
    one, two = create(hers, title="One"), create(hers, title="Two")
    assert [str(row.pk) for row in hers.list()] == [two, one]
    hers.commit(EditArtifact(one, 1, WholeText("x")))
    assert [str(row.pk) for row in hers.list()] == [one, two]


# --- What is refused


COMMANDS: list[Command] = [
    CreateArtifact("document", {"title": "A"}),
    EditArtifact("{it}", 2, WholeText("x")),
    ArchiveArtifact("{it}"),
    PublishArtifact("{it}", 1),
]


def about(command: Command, artifact: str) -> Command:
    """The command, about this artifact if it is about one."""
    if isinstance(command, CreateArtifact):
        return command
    return cast(Command, replace(cast(Any, command), artifact=artifact))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
class TestWhoMay:
    def test_an_editor_may(self, bob: User, workspace: str, notes_: str, command: Command) -> None:
        his = Handle.for_user(bob, workspace)
        his.commit(about(command, notes_))
        assert newest(his).actor.name == "Bob"

    def test_a_viewer_may_read_and_not_write(
        self, vera: User, workspace: str, notes_: str, command: Command
    ) -> None:
        theirs, before = Handle.for_user(vera, workspace), everything()
        assert theirs.get(notes_).text() == "one two three"
        with pytest.raises(Forbidden):
            theirs.commit(about(command, notes_))
        assert everything() == before

    def test_who_was_removed_may_no_more(
        self, alice: User, bob: User, workspace: str, notes_: str, command: Command
    ) -> None:
        his = Handle.for_user(bob, workspace)
        remove_member(alice, workspace, bob)
        before = everything()
        with pytest.raises(NotFound):
            his.commit(about(command, notes_))
        assert everything() == before

    def test_who_became_a_viewer_may_no_more(
        self, alice: User, bob: User, workspace: str, notes_: str, command: Command
    ) -> None:
        his = Handle.for_user(bob, workspace)
        add_member(alice, workspace, bob, "viewer")
        with pytest.raises(Forbidden):
            his.commit(about(command, notes_))

    def test_who_was_deactivated_may_no_more(
        self, bob: User, workspace: str, notes_: str, command: Command
    ) -> None:
        his = Handle.for_user(bob, workspace)
        bob.is_active = False
        bob.save()
        with pytest.raises(NotFound):
            his.commit(about(command, notes_))

    def test_a_guard_that_refuses_changes_nothing(self, hers: Handle, notes_: str, command: Command) -> None:
        def refuse() -> None:
            raise Forbidden("Not now. Ask later.")

        before = everything()
        with pytest.raises(Forbidden):
            replace(hers, guard=refuse).commit(about(command, notes_))
        assert everything() == before

    def test_what_is_done_after_it_and_fails_undoes_it(
        self, hers: Handle, notes_: str, command: Command
    ) -> None:
        def fail(entry: log.Entry, outcome: Outcome) -> None:
            entry.append("more", {})
            raise ValueError(f"{outcome.seq}-")

        before = everything()
        with pytest.raises(ValueError, match="-"):
            replace(hers, then=fail).commit(about(command, notes_))
        assert everything() == before

    def test_what_is_done_after_it_is_in_its_transaction(
        self, hers: Handle, notes_: str, command: Command
    ) -> None:
        seen: list[Outcome] = []

        def then(entry: log.Entry, outcome: Outcome) -> None:
            seen.append(outcome)
            entry.append("more", {})

        applied = replace(hers, then=then).commit(about(command, notes_))
        assert seen == [applied]
        assert (newest(hers).type, newest(hers).seq) == ("more", applied.seq + 1)

    def test_an_agent_s_command_says_its_thread(self, hers: Handle, notes_: str, command: Command) -> None:
        thread = str(uuid.uuid4())
        replace(hers, actor=agent_actor(thread), thread=thread).commit(about(command, notes_))
        assert (newest(hers).thread, newest(hers).actor) == (thread, agent_actor(thread))


@pytest.mark.parametrize("workspace_id", [NOBODY, "nonsense", "", "\x00"])
def test_a_workspace_that_is_none_is_not_found(alice: User, workspace_id: str) -> None:
    with pytest.raises(NotFound):
        Handle.for_user(alice, workspace_id)


def test_a_stranger_gets_no_handle(charlie: User, alice: User, workspace: str) -> None:
    with pytest.raises(NotFound):
        Handle.for_user(charlie, workspace)
    with pytest.raises(NotFound):
        Handle.for_user(User(username="unsaved"), workspace)


@pytest.mark.parametrize("command", COMMANDS[1:], ids=lambda command: type(command).__name__)
@pytest.mark.parametrize("artifact", [NOBODY, "nonsense", "", "\x00", "\ud800", "x" * 1_000, "1"])
def test_an_artifact_that_is_none_is_not_found(hers: Handle, command: Command, artifact: str) -> None:
    before = everything()
    for unit in (lambda: hers.get(artifact), lambda: hers.commit(about(command, artifact))):
        with pytest.raises(NotFound) as refused:
            unit()
        assert len(refused.value.message) < 250
        refused.value.message.encode()
    assert everything() == before


@pytest.mark.parametrize("command", COMMANDS[1:], ids=lambda command: type(command).__name__)
def test_another_workspace_s_artifact_is_not_found(
    alice: User, charlie: User, hers: Handle, notes_: str, command: Command
) -> None:
    his = Handle.for_user(charlie, workspace_of(charlie))
    before = everything()
    with pytest.raises(NotFound):
        his.get(notes_)
    with pytest.raises(NotFound):
        his.commit(about(command, notes_))
    assert everything() == before
    assert list(his.list()) == []


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (CreateArtifact("spreadsheet", {}), Invalid),
        (CreateArtifact("document", {}), Invalid),
        (CreateArtifact("document", {"title": "A\x00"}), Invalid),
        (CreateArtifact("document", {"title": "A", "text": "x" * 2**20}), TooLarge),
        (EditArtifact("{it}", 1, WholeText("x")), VersionConflict),
        (EditArtifact("{it}", 1, WholeText("one two three")), VersionConflict),
        (EditArtifact("{it}", 1, WholeData({"title": "A"})), VersionConflict),
        (EditArtifact("{it}", 0, WholeText("x")), Invalid),
        (EditArtifact("{it}", -1, Passage("one", "x")), Invalid),
        (EditArtifact("{it}", 3, WholeText("x")), Invalid),
        (EditArtifact("{it}", 10**30, WholeText("x")), Invalid),
        (EditArtifact("{it}", 2, Passage("four", "x")), PatchFailed),
        (EditArtifact("{it}", 2, Passage("e", "x")), PatchFailed),
        (EditArtifact("{it}", 2, Passage("", "x")), Invalid),
        (EditArtifact("{it}", 2, Passage("two", "\x00")), Invalid),
        (EditArtifact("{it}", 2, WholeData({"title": ""})), Invalid),
        (EditArtifact("{it}", 2, WholeText("x" * 2**20)), TooLarge),
        (EditArtifact("{it}", 2, WholeText("x"), summary="x" * 501), TooLarge),
        (EditArtifact("{it}", 2, WholeText("x"), summary="\ud800"), Invalid),
        (PublishArtifact("{it}", 0), Invalid),
        (PublishArtifact("{it}", 3), Invalid),
        (PublishArtifact("{it}", -1), Invalid),
        (PublishArtifact("{it}", 10**30), Invalid),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    hers: Handle, notes_: str, command: Command, refusal: type[Rejection]
) -> None:
    before = everything()
    with pytest.raises(refusal) as refused:
        hers.commit(about(command, notes_))
    assert type(refused.value) is refusal
    assert everything() == before
    hers.commit(EditArtifact(notes_, 2, Passage("three", "3")))


@pytest.mark.parametrize("command", COMMANDS[1:], ids=lambda command: type(command).__name__)
def test_what_is_archived_takes_no_command(hers: Handle, notes_: str, command: Command) -> None:
    hers.commit(ArchiveArtifact(notes_))
    before = everything()
    with pytest.raises(Archived) as refused:
        hers.commit(about(command, notes_))
    assert "“Notes”" in refused.value.message
    assert everything() == before


def test_a_conflict_says_who_made_the_newer_version(hers: Handle, bob: User, notes_: str) -> None:
    Handle.for_user(bob, hers.workspace).commit(EditArtifact(notes_, 2, WholeText("his")))
    with pytest.raises(VersionConflict) as refused:
        hers.commit(EditArtifact(notes_, 2, WholeText("hers")))
    assert refused.value.details == {"base": 2, "head": 3, "by": "Bob"}
    assert hers.get(notes_).text() == "his"


def test_the_longest_summary_and_the_longest_name_are_stored(hers: Handle, notes_: str) -> None:
    named = replace(hers, actor=replace(hers.actor, name="é" * 300))
    named.commit(EditArtifact(notes_, 2, WholeText("x"), summary="é" * 500))
    named.commit(PublishArtifact(notes_, 3))
    assert hers.get(notes_).changed_by == newest(hers).actor.name == "é" * 200


# --- What the event says of the change


def test_an_edit_s_event_has_its_changes_bounded_and_no_copy_of_the_content(hers: Handle) -> None:
    artifact = create(hers, "\n".join(f"line {number} of it\n{number}" for number in range(200)))
    text = "\n".join(f"row {number} of it\n{number}" for number in range(200))
    hers.commit(EditArtifact(artifact, 1, WholeText(text)))
    data = newest(hers).data
    assert (data["passages"], len(data["changes"])) == (200, PASSAGES_LIMIT + 1)
    hers.commit(EditArtifact(artifact, 2, WholeText("x" * 500_000)))
    (change,) = newest(hers).data["changes"]
    assert (len(change["old"]), len(change["new"])) == (PASSAGE_LIMIT + 1, PASSAGE_LIMIT + 1)


def test_a_passage_after_much_white_space_is_told(hers: Handle) -> None:
    artifact = create(hers)
    hers.commit(EditArtifact(artifact, 1, WholeText("\n" * 2_000 + "at last")))
    assert notes([newest(hers)])[0].endswith("added “at last”.")


def test_a_plan_s_change_is_told_in_its_own_words_and_bounded(hers: Handle) -> None:
    plan = hers.commit(CreateArtifact("plan", {"goal": "Paint"})).artifact
    tasks = [{"id": str(number), "name": f"Task {number}"} for number in range(3)]
    hers.commit(EditArtifact(plan, 1, WholeData({"goal": "Paint", "tasks": tasks[:1]})))
    assert newest(hers).data["described"] == "added the task “Task 0”"
    long = [{"id": str(number), "name": "x" * 500} for number in range(100)]
    hers.commit(EditArtifact(plan, 2, WholeData({"goal": "Paint", "tasks": long})))
    assert len(newest(hers).data["described"]) == DESCRIPTION_LIMIT + 1


@pytest.mark.parametrize(
    "stored", [{}, {"goal": ""}, {"goal": "A", "tasks": None}, {"goal": "A", "old": [1]}]
)
def test_what_is_stored_and_no_longer_valid_can_be_edited(hers: Handle, stored: dict[str, Any]) -> None:
    plan = hers.commit(CreateArtifact("plan", {"goal": "Paint"})).artifact
    Artifact.objects.filter(pk=plan).update(data=stored)
    applied = hers.commit(EditArtifact(plan, 1, WholeData({"goal": "Paint all", "tasks": []})))
    assert isinstance(applied, Applied)
    assert applied.version == 2
    assert newest(hers).data["passages"] > 0
    assert notes([newest(hers)])


@pytest.mark.parametrize("stored", [{}, {"title": "A"}, {"text": 5}, {"title": "A", "text": "two", "old": 1}])
@pytest.mark.parametrize("patch", [WholeText("x"), Passage("two", "x"), WholeData({"title": "B"})])
def test_an_edit_of_stored_data_that_is_no_longer_valid_succeeds_or_is_refused_in_words(
    hers: Handle, notes_: str, stored: dict[str, Any], patch: Patch
) -> None:
    Artifact.objects.filter(pk=notes_).update(data=stored)
    hers.get(notes_).text()
    try:
        hers.commit(EditArtifact(notes_, 2, patch))
    except Rejection:
        assert hers.get(notes_).version == 2
    else:
        hers.get(notes_).instance()


def test_an_artifact_of_a_kind_that_is_gone_is_refused_in_words(hers: Handle, notes_: str) -> None:
    Artifact.objects.filter(pk=notes_).update(kind="spreadsheet")
    for unit in (
        lambda: hers.commit(EditArtifact(notes_, 2, WholeText("x"))),
        lambda: hers.get(notes_).text(),
    ):
        with pytest.raises(Invalid):
            unit()
    hers.commit(ArchiveArtifact(notes_))
