"""A request that finds the database away is answered 503, in words, and gives back what was written."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError, InternalError, OperationalError, ProgrammingError
from django.db.backends.utils import CursorWrapper
from django.test import Client

OURS = {"origin": "http://127.0.0.1:8000", "referer": "http://testserver/threads/x/"}
HTML = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
POST = {"content": "Where were <we>?", "message_id": "1"}


def cut_while_idle() -> InternalError:
    """As Django raises it."""
    error = InternalError("terminating connection due to idle-in-transaction timeout")
    error.__cause__ = psycopg.errors.IdleInTransactionSessionTimeout()
    return error


@contextmanager
def away(error: Exception | None = None) -> Iterator[None]:
    with patch.object(CursorWrapper, "execute", side_effect=error or OperationalError("connection refused")):
        yield


@pytest.fixture
def alice(db: None) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_superuser("alice"))
    return client


@pytest.mark.parametrize(
    "path", ["/", "/threads/", "/profile/", "/admin/", "/admin/threads/run/", "/nowhere/"]
)
def test_a_page_says_to_try_again(alice: Client, path: str) -> None:
    with away():
        response = alice.get(path, headers=HTML)
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0
    assert "no-store" in response.headers["Cache-Control"]
    page = response.content.decode()
    assert "The database cannot be reached just now" in page
    assert f'href="{path}">Try again' in page


@pytest.mark.parametrize("error", [InterfaceError("connection already closed"), cut_while_idle()])
def test_every_way_of_being_away_is_one(alice: Client, error: Exception) -> None:
    with away(error):
        assert alice.get("/threads/").status_code == 503


@pytest.mark.parametrize(
    "error", [ProgrammingError("no such column"), InternalError("broken"), ValueError("x")]
)
def test_what_is_broken_stays_broken(alice: Client, error: Exception) -> None:
    with away(error):
        response = alice.get("/threads/", headers=HTML)
    assert response.status_code == 500
    assert "Something broke" in response.content.decode()


def test_a_form_comes_back_with_what_was_written(alice: Client) -> None:
    with away():
        page = alice.post("/threads/", {**POST, "workspace": "w"}, headers={**HTML, **OURS}).content.decode()
    assert "Where were &lt;we&gt;?" in page
    assert 'data-draft="draft:/threads/w"' in page
    assert 'href="/threads/x/">Back to where you were' in page


def test_what_another_site_had_somebody_send_does_not(alice: Client) -> None:
    with away():
        response = alice.post("/threads/", POST, headers={**HTML, "origin": "https://evil.example.org"})
    assert response.status_code == 503
    assert "Where were" not in response.content.decode()


def test_a_password_does_not_either(client: Client, db: None) -> None:
    client.raise_request_exception = False
    with away():
        response = client.post(
            "/sign-in/", {"username": "alice", "password": "s3cret"}, headers={**HTML, **OURS}
        )
    assert response.status_code == 503
    assert "s3cret" not in response.content.decode()


def test_the_pages_script_gets_a_sentence(alice: Client) -> None:
    with away():
        response = alice.post("/threads/", POST, headers={**OURS, "HX-Request": "true", "accept": "*/*"})
    assert response.status_code == 503
    assert response.headers["Content-Type"].startswith("text/plain")
    assert "try again" in response.content.decode()


def test_a_program_gets_json(alice: Client) -> None:
    with away():
        response = alice.get("/threads/", headers={"accept": "application/json"})
    assert (response.status_code, response.headers["Content-Type"]) == (503, "application/json")
    assert json.loads(response.content)["code"] == "database_away"


def test_the_log_says_it_in_a_line_without_addresses(alice: Client, caplog: pytest.LogCaptureFixture) -> None:
    with away():
        alice.get("/sign-in/a-link-that-still-works/")
    [record] = [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]
    assert record.levelname == "WARNING"
    assert record.exc_info is None
    assert "a-link" not in record.getMessage()
