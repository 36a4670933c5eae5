"""The core's cases as data: what was done before, who asks for what, and the events and rows it makes, or its refusal.

`{it}` is the first artifact, `{plan}` the second, `{idea}` the first proposal and `{page}` the first publication that
the steps before made.
"""

from dataclasses import dataclass, field
from typing import Any

from artifacts.core.commands import (
    Accept,
    ArchiveArtifact,
    Command,
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
from artifacts.core.patches import JsonPatch, Passage, WholeData, WholeText

type Step = tuple[str, Command]
type Said = tuple[str, dict[str, Any]]

NOBODY = "00000000-0000-0000-0000-000000000001"


@dataclass(frozen=True)
class Case:
    """`events` with what each says at least, and `rows` with what they hold; or the `refusal`'s code and details."""

    name: str
    given: list[Step]
    who: str
    command: Command
    events: list[Said] = field(default_factory=list)
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    refusal: tuple[str, dict[str, Any]] | None = None


WRITE: list[Step] = [("alice", CreateArtifact("document", {"title": "Tea", "text": "one\ntwo\nthree\n"}))]
SECOND: list[Step] = [*WRITE, ("alice", EditArtifact("{it}", 1, Passage("three", "drei")))]
PLAN: list[Step] = [
    *WRITE,
    ("alice", CreateArtifact("plan", {"goal": "Paint", "tasks": [{"id": "a", "name": "Buy"}]})),
]
IDEA: list[Step] = [*WRITE, ("agent", ProposeChange("{it}", 1, Passage("two", "zwei"), "German"))]
BOB_S: list[Step] = [*WRITE, ("bob", ProposeChange("{it}", 1, WholeText("one\n2\nthree\n")))]
MOVED: list[Step] = [*IDEA, ("bob", EditArtifact("{it}", 1, Passage("three", "drei")))]
STALE: list[Step] = [*IDEA, ("bob", EditArtifact("{it}", 1, Passage("two", "deux")))]
PUBLIC: list[Step] = [*WRITE, ("alice", PublishArtifact("{it}", 1))]
ARCHIVED: list[Step] = [*WRITE, ("alice", ArchiveArtifact("{it}"))]
PUT_AWAY: list[Step] = [*IDEA, ("alice", ArchiveArtifact("{it}"))]
REJECTED: list[Step] = [*IDEA, ("bob", RespondToProposal("{idea}", Reject("No")))]

CASES = [
    Case(
        "create",
        [],
        "bob",
        CreateArtifact("document", {"title": "Tea"}),
        [("artifact_created", {"kind": "document", "title": "Tea", "version": 1, "summary": ""})],
        {
            "artifact": {
                "version": 1,
                "title": "Tea",
                "changed_by": "Bob",
                "data": {"title": "Tea", "text": ""},
            }
        },
    ),
    Case(
        "edit by a passage of an old version",
        SECOND,
        "bob",
        EditArtifact("{it}", 1, Passage("two", "zwei"), "Why"),
        [
            (
                "artifact_edited",
                {"version": 3, "base": 1, "summary": "Why", "changes": [{"old": "two", "new": "zwei"}]},
            )
        ],
        {"artifact": {"version": 3, "data": {"title": "Tea", "text": "one\nzwei\ndrei\n"}}},
    ),
    Case(
        "edit by a JSON patch",
        PLAN,
        "bob",
        EditArtifact("{plan}", 1, JsonPatch([{"op": "replace", "path": "/tasks/0/status", "value": "done"}])),
        [("artifact_edited", {"title": "Paint", "version": 2, "described": "set the task “Buy” to done"})],
    ),
    Case(
        "a stale text",
        SECOND,
        "bob",
        EditArtifact("{it}", 1, WholeText("x")),
        refusal=("version_conflict", {"base": 1, "head": 2, "by": "Alice"}),
    ),
    Case(
        "a stale JSON patch",
        SECOND,
        "bob",
        EditArtifact("{it}", 1, JsonPatch([{"op": "replace", "path": "/title", "value": "X"}])),
        refusal=("version_conflict", {"base": 1, "head": 2, "by": "Alice"}),
    ),
    Case(
        "a JSON patch of what is not there",
        WRITE,
        "bob",
        EditArtifact("{it}", 1, JsonPatch([{"op": "remove", "path": "/x"}])),
        refusal=("patch_failed", {"occurrences": 0, "operation": 0, "path": "/x"}),
    ),
    Case(
        "a passage that is gone",
        SECOND,
        "bob",
        EditArtifact("{it}", 1, Passage("three", "3")),
        refusal=("patch_failed", {"occurrences": 0}),
    ),
    Case(
        "a passage that is there twice",
        WRITE,
        "bob",
        EditArtifact("{it}", 1, Passage("o", "0")),
        refusal=("patch_failed", {"occurrences": 2}),
    ),
    Case(
        "data that does not fit",
        PLAN,
        "bob",
        EditArtifact("{plan}", 1, WholeData({"goal": "", "tasks": [{}]})),
        refusal=(
            "invalid",
            {
                "fields": {
                    "goal": "String should have at least 1 character.",
                    "tasks.0.id": "Field required.",
                    "tasks.0.name": "Field required.",
                }
            },
        ),
    ),
    Case(
        "a title that is too long",
        WRITE,
        "bob",
        EditArtifact("{it}", 1, WholeData({"title": "x" * 201})),
        refusal=("too_large", {"limit": 200}),
    ),
    Case("a viewer edits", WRITE, "vera", EditArtifact("{it}", 1, WholeText("x")), refusal=("forbidden", {})),
    Case(
        "a stranger edits",
        WRITE,
        "charlie",
        EditArtifact("{it}", 1, WholeText("x")),
        refusal=("not_found", {}),
    ),
    Case(
        "an artifact that is none",
        [],
        "bob",
        EditArtifact(NOBODY, 1, WholeText("x")),
        refusal=("not_found", {}),
    ),
    Case(
        "restore",
        SECOND,
        "bob",
        RestoreRevision("{it}", 1),
        [("artifact_edited", {"version": 3, "base": 2, "restored": 1, "summary": "Restored version 1"})],
        {"artifact": {"version": 3, "data": {"title": "Tea", "text": "one\ntwo\nthree\n"}}},
    ),
    Case(
        "restore what is there", SECOND, "bob", RestoreRevision("{it}", 2), [], {"artifact": {"version": 2}}
    ),
    Case(
        "restore a version that is none",
        WRITE,
        "bob",
        RestoreRevision("{it}", 5),
        refusal=("invalid", {"fields": {"version": "There is no version 5. The newest is 1."}}),
    ),
    Case("archive", WRITE, "bob", ArchiveArtifact("{it}"), [("artifact_archived", {"title": "Tea"})]),
    Case(
        "edit what is archived",
        ARCHIVED,
        "bob",
        EditArtifact("{it}", 1, WholeText("x")),
        refusal=("archived", {}),
    ),
    Case("restore what is archived", ARCHIVED, "bob", RestoreRevision("{it}", 1), refusal=("archived", {})),
    Case(
        "propose for what is archived",
        ARCHIVED,
        "bob",
        ProposeChange("{it}", 1, WholeText("x")),
        refusal=("archived", {}),
    ),
    Case(
        "unarchive",
        ARCHIVED,
        "bob",
        UnarchiveArtifact("{it}"),
        [("artifact_unarchived", {"title": "Tea"})],
        {"artifact": {"archived_at": None, "version": 1}},
    ),
    Case("unarchive what is not archived", WRITE, "bob", UnarchiveArtifact("{it}")),
    Case(
        "publish",
        SECOND,
        "bob",
        PublishArtifact("{it}", 1),
        [("artifact_published", {"version": 1, "title": "Tea"})],
    ),
    Case(
        "unpublish",
        PUBLIC,
        "bob",
        UnpublishArtifact("{page}"),
        [("artifact_unpublished", {"version": 1, "title": "Tea"})],
    ),
    Case(
        "unpublish what is not published", WRITE, "bob", UnpublishArtifact(NOBODY), refusal=("not_found", {})
    ),
    Case(
        "propose",
        WRITE,
        "bob",
        ProposeChange("{it}", 1, Passage("two", "2"), "Shorter"),
        [
            (
                "change_proposed",
                {"base": 1, "title": "Tea", "summary": "Shorter", "changes": [{"old": "two", "new": "2"}]},
            )
        ],
        {
            "artifact": {"version": 1},
            "proposal": {"state": "open", "base": 1, "actor_name": "Bob", "thread": None},
        },
    ),
    Case(
        "propose from an old version",
        SECOND,
        "bob",
        ProposeChange("{it}", 1, WholeText("x")),
        refusal=("version_conflict", {"base": 1, "head": 2, "by": "Alice"}),
    ),
    Case(
        "propose what does not apply",
        WRITE,
        "bob",
        ProposeChange("{it}", 1, Passage("four", "4")),
        refusal=("patch_failed", {"occurrences": 0}),
    ),
    Case(
        "propose nothing",
        WRITE,
        "bob",
        ProposeChange("{it}", 1, Passage("two", "two")),
        refusal=(
            "invalid",
            {"fields": {"patch": "Changes nothing. Propose something else than what is there."}},
        ),
    ),
    Case(
        "a viewer proposes",
        WRITE,
        "vera",
        ProposeChange("{it}", 1, WholeText("x")),
        refusal=("forbidden", {}),
    ),
    Case(
        "an agent in suggest mode edits",
        WRITE,
        "suggesting",
        EditArtifact("{it}", 1, Passage("two", "2")),
        [("change_proposed", {"base": 1})],
        {"artifact": {"version": 1}, "proposal": {"state": "open"}},
    ),
    Case(
        "an agent in suggest mode restores",
        SECOND,
        "suggesting",
        RestoreRevision("{it}", 1),
        [("change_proposed", {"base": 2, "summary": "Restored version 1"})],
        {"artifact": {"version": 2}},
    ),
    Case(
        "an agent in suggest mode archives",
        WRITE,
        "suggesting",
        ArchiveArtifact("{it}"),
        refusal=("forbidden", {}),
    ),
    Case(
        "an agent in suggest mode creates",
        [],
        "suggesting",
        CreateArtifact("document", {"title": "Tea"}),
        [("artifact_created", {"title": "Tea"})],
    ),
    Case(
        "accept",
        IDEA,
        "bob",
        RespondToProposal("{idea}", Accept(base=1)),
        [
            (
                "artifact_edited",
                {"version": 2, "base": 1, "summary": "German", "changes": [{"old": "two", "new": "zwei"}]},
            ),
            ("proposal_resolved", {"state": "accepted", "version": 2, "reason": "", "own": {}}),
        ],
        {
            "artifact": {
                "version": 2,
                "changed_by": "Bob",
                "data": {"title": "Tea", "text": "one\nzwei\nthree\n"},
            },
            "proposal": {"state": "accepted", "decided_by": "Bob", "changes": {}},
        },
    ),
    Case(
        "accept onto what others made of it",
        MOVED,
        "alice",
        RespondToProposal("{idea}", Accept()),
        [("artifact_edited", {"version": 3, "base": 1}), ("proposal_resolved", {"version": 3})],
        {"artifact": {"data": {"title": "Tea", "text": "one\nzwei\ndrei\n"}}},
    ),
    Case(
        "accept a text, merged with what others made of it",
        [*BOB_S, ("alice", EditArtifact("{it}", 1, Passage("one", "eins")))],
        "alice",
        RespondToProposal("{idea}", Accept(base=2)),
        [("artifact_edited", {"version": 3}), ("proposal_resolved", {"version": 3})],
        {"artifact": {"data": {"title": "Tea", "text": "eins\n2\nthree\n"}}},
    ),
    Case(
        "accept with changes",
        IDEA,
        "bob",
        RespondToProposal("{idea}", Accept(base=1, changes=Passage("one", "eins"))),
        [
            ("artifact_edited", {"version": 2, "passages": 1}),
            ("proposal_resolved", {"own": {"changes": [{"old": "one", "new": "eins"}], "passages": 1}}),
        ],
        {"artifact": {"data": {"title": "Tea", "text": "eins\nzwei\nthree\n"}}},
    ),
    Case(
        "accept what was changed since it was shown",
        MOVED,
        "alice",
        RespondToProposal("{idea}", Accept(base=1)),
        refusal=("version_conflict", {"base": 1, "head": 2, "by": "Bob"}),
    ),
    Case(
        "accept what is out of date",
        STALE,
        "alice",
        RespondToProposal("{idea}", Accept()),
        refusal=("out_of_date", {"head": 2, "conflicts": ["text"]}),
    ),
    Case(
        "accept what is out of date, settled by hand",
        STALE,
        "alice",
        RespondToProposal("{idea}", Accept(base=2, changes=WholeText("one\nbeides\nthree\n"))),
        [("artifact_edited", {"version": 3}), ("proposal_resolved", {"state": "accepted", "version": 3})],
        {"artifact": {"data": {"title": "Tea", "text": "one\nbeides\nthree\n"}}},
    ),
    Case(
        "accept with a text for no version",
        IDEA,
        "bob",
        RespondToProposal("{idea}", Accept(changes=WholeText("x"))),
        refusal=("invalid", {"fields": {"base": "Say which version your changes were written for."}}),
    ),
    Case(
        "accept what is there already",
        [*IDEA, ("bob", EditArtifact("{it}", 1, Passage("two", "zwei")))],
        "alice",
        RespondToProposal("{idea}", Accept()),
        [("proposal_resolved", {"state": "accepted", "version": 2})],
        {"artifact": {"version": 2}},
    ),
    Case(
        "accept for what is archived",
        PUT_AWAY,
        "bob",
        RespondToProposal("{idea}", Accept()),
        refusal=("archived", {}),
    ),
    Case("accept one's own", BOB_S, "bob", RespondToProposal("{idea}", Accept()), refusal=("forbidden", {})),
    Case(
        "an agent accepts", BOB_S, "agent", RespondToProposal("{idea}", Accept()), refusal=("forbidden", {})
    ),
    Case("a viewer accepts", IDEA, "vera", RespondToProposal("{idea}", Accept()), refusal=("forbidden", {})),
    Case(
        "a stranger accepts",
        IDEA,
        "charlie",
        RespondToProposal("{idea}", Accept()),
        refusal=("not_found", {}),
    ),
    Case("accept what is none", IDEA, "bob", RespondToProposal(NOBODY, Accept()), refusal=("not_found", {})),
    Case(
        "reject",
        IDEA,
        "bob",
        RespondToProposal("{idea}", Reject("Not now")),
        [("proposal_resolved", {"state": "rejected", "reason": "Not now", "version": 1})],
        {
            "artifact": {"version": 1},
            "proposal": {"state": "rejected", "reason": "Not now", "decided_by": "Bob"},
        },
    ),
    Case(
        "reject for what is archived",
        PUT_AWAY,
        "bob",
        RespondToProposal("{idea}", Reject("No")),
        [("proposal_resolved", {})],
    ),
    Case(
        "a reason that cannot be",
        IDEA,
        "bob",
        RespondToProposal("{idea}", Reject("\x00")),
        refusal=("invalid", {"fields": {"reason": "Contains a NUL character at position 1. Remove it."}}),
    ),
    Case(
        "accept what is rejected",
        REJECTED,
        "alice",
        RespondToProposal("{idea}", Accept()),
        refusal=("already_decided", {"by": "Bob", "decision": "rejected"}),
    ),
    Case(
        "withdraw what is rejected",
        REJECTED,
        "agent",
        WithdrawProposal("{idea}"),
        refusal=("already_decided", {"by": "Bob", "decision": "rejected"}),
    ),
    Case(
        "withdraw",
        IDEA,
        "agent",
        WithdrawProposal("{idea}"),
        [("proposal_withdrawn", {"title": "Tea"})],
        {"proposal": {"state": "withdrawn", "decided_by": "Agent"}},
    ),
    Case("withdraw somebody else's", IDEA, "alice", WithdrawProposal("{idea}"), refusal=("forbidden", {})),
]
