"""A long paste becomes a document that the thread follows, or is refused with a reason and changes nothing."""

import uuid

import pytest

from artifacts.models import Artifact, Event
from tests.artifacts.web.people import Team, browser
from tests.threads.web.turns import thread_with
from threads.turns import archive


@pytest.fixture
def address(team: Team) -> str:
    return f"/threads/{thread_with(team.alice, team.workspace, 'Read this').pk}/documents/"


def test_a_paste_becomes_a_document_that_the_thread_follows(team: Team, address: str) -> None:
    assert browser(team.bob, htmx=True).post(
        address, {"title": "Notes", "text": "one\r\ntwo"}
    ).status_code == (201)
    made = Artifact.objects.get()
    assert (made.title, made.data["text"]) == ("Notes", "one\ntwo")
    assert "Notes" in browser(team.alice).get(address.removesuffix("documents/")).content.decode()


def test_without_script_it_leads_back_to_the_thread(team: Team, address: str) -> None:
    answer = browser(team.bob).post(address, {"title": "Notes", "text": "one"})
    assert (answer.status_code, answer["Location"]) == (303, address.removesuffix("documents/"))


REFUSED = {
    "too long": ({"title": "Notes", "text": "x" * 2_000_001}, 413, "Shorten"),
    "a NUL": ({"title": "Notes", "text": "one\0two"}, 422, "NUL"),
    "a title too long": ({"title": "x" * 1_000, "text": "one"}, 413, "title"),
    "no title": ({"text": "one"}, 422, "title"),
    "a broken body": (b"--boundary\r\nnonsense", 422, "title"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_document_is_refused_with_a_reason(team: Team, address: str, case: str) -> None:
    body, status, words = REFUSED[case]
    before = Event.objects.count()
    browsed = browser(team.alice, htmx=True)
    answer = (
        browsed.post(address, body)
        if isinstance(body, dict)
        else browsed.post(address, body, content_type="multipart/form-data; boundary=boundary")
    )
    assert answer.status_code == status
    assert words.lower() in answer.content.decode().lower()
    assert Event.objects.count() == before


def test_who_may_not_write_makes_no_document(team: Team, address: str) -> None:
    before = Event.objects.count()
    paste = {"title": "Notes", "text": "one"}
    assert browser(team.vera, htmx=True).post(address, paste).status_code == 403
    assert browser(team.charlie, htmx=True).post(address, paste).status_code == 404
    assert browser(htmx=True).post(address, paste).status_code == 401
    nowhere = f"/threads/{uuid.uuid4()}/documents/"
    assert browser(team.alice, htmx=True).post(nowhere, paste).status_code == 404
    assert browser(team.alice, htmx=True).get(address).status_code == 405
    assert Event.objects.count() == before


def test_an_archived_thread_takes_no_document(team: Team, address: str) -> None:
    archive(team.alice, address.split("/")[2])
    # What cannot be followed is not made either.
    before = Event.objects.count()
    answer = browser(team.alice, htmx=True).post(address, {"title": "Notes", "text": "one"})
    assert answer.status_code == 409
    assert Event.objects.count() == before
