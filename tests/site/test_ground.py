"""The ground that other tests stand on."""

import pytest
from django.db import connection
from playwright.sync_api import expect

from tests.conftest import Serve
from tests.services import needed
from tests.services.browsing import People
from tests.settings import DATABASE


@pytest.mark.django_db
def test_the_database_is_the_one_that_was_chosen() -> None:
    assert connection.vendor == DATABASE
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.browser
def test_a_person_signs_in_by_their_link_and_no_page_breaks_the_policy(serve: Serve, people: People) -> None:
    served = serve("--no-runs")
    page = people.person(served.person("alice"))
    expect(page).not_to_have_url(f"{served.url}/sign-in/")
    stranger = people.stranger()
    stranger.goto(served.url)
    expect(stranger.locator("input[name=username]")).to_be_visible()


@pytest.mark.browser
def test_what_breaks_the_policy_is_noticed(serve: Serve, people: People) -> None:
    page = people.stranger()
    page.goto(f"{serve('--no-runs').url}/sign-in/")
    page.evaluate(
        "document.head.append(Object.assign(document.createElement('style'), {textContent: 'b {}'}))"
    )
    page.wait_for_timeout(100)
    assert "Content Security Policy" in people.complaints[0]
    people.complaints.clear()


@pytest.mark.parametrize(("ci", "outcome"), [("", "Skipped"), ("1", "Failed")])
def test_a_test_without_its_program_is_skipped_and_under_ci_fails(
    ci: str, outcome: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(needed, "redis_server", lambda: needed.first("Redis", "no-such-server"))
    with pytest.raises(BaseException, match="apt-get install --yes redis-server") as caught:
        request.getfixturevalue("redis")
    assert type(caught.value).__name__ == outcome


def test_the_command_that_would_install_is_one_line() -> None:
    assert needed.command_for(["Redis", "Chromium"]) == "sudo apt-get install --yes redis-server chromium"
