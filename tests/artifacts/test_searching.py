"""Searching: by title and by every text in an artifact, on either database alike."""

import pytest
from django.contrib.auth.models import User

from artifacts.core.commands import CreateArtifact
from artifacts.handle import Handle
from artifacts.searching import found

TEXT = 'Grün "quoted" (a+b) 100% a_b [x] c:\\d\nsecond line'


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("", {"Tea", "Picnic"}),
        ("  ", {"Tea", "Picnic"}),
        ("tea", {"Tea"}),
        ("PIC", {"Picnic"}),
        ("grün", {"Tea"}),
        ('"quoted"', {"Tea"}),
        ("(a+b)", {"Tea"}),
        ("100%", {"Tea"}),
        ("a_b", {"Tea"}),
        ("[x]", {"Tea"}),
        ("c:\\d", {"Tea"}),
        ("line tea second", {"Tea"}),
        ("ham", {"Picnic"}),
        ("soon picnic", {"Picnic"}),
        ("tea picnic", set()),
        ("tasks", set()),
        (".*", set()),
        ("%", {"Tea"}),
        ("\\", {"Tea"}),
        ("\x00", set()),
        ("\ud800", set()),
        ("x" * 10_000, set()),
        ("tea " * 10_000, {"Tea"}),
    ],
)
def test_every_word_is_in_the_title_or_in_a_text(hers: Handle, words: str, titles: set[str]) -> None:
    hers.commit(CreateArtifact("document", {"title": "Tea", "text": TEXT}))
    tasks = [{"id": "t1", "name": "Buy ham", "note": "Soon"}]
    hers.commit(CreateArtifact("plan", {"goal": "Picnic", "tasks": tasks}))
    assert {row.title for row in found(hers.list(), words)} == titles


def test_only_what_was_to_be_searched_is_found(hers: Handle, charlie: User) -> None:
    theirs = Handle.for_user(charlie, str(charlie.memberships.get().workspace_id))
    theirs.commit(CreateArtifact("document", {"title": "Tea", "text": "Secret"}))
    assert not found(hers.list(), "secret")
