"""Who has an artifact before them, and who is editing it."""

import pytest

from artifacts.core.actors import Actor
from artifacts.web import presence
from artifacts.web.presence import Present, attending, present, seen
from tests.artifacts.web.people import Team, browser, document

ALICE, BOB = Actor("user", "1", "Alice"), Actor("user", "2", "Bob")


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time, in a process where nobody has been anywhere yet."""
    clock = Clock()
    monkeypatch.setattr("artifacts.web.presence.time.monotonic", clock)
    monkeypatch.setattr(presence, "_rooms", {})
    return clock


def test_who_has_the_page_open_is_there_until_the_last_of_their_sockets_closes(clock: Clock) -> None:
    heard: list[str] = []
    with attending("tea", ALICE, lambda: heard.append("alice")):
        with attending("tea", BOB, lambda: heard.append("bob")), attending("tea", BOB, lambda: None):
            assert present("tea") == [Present("1", "Alice", False), Present("2", "Bob", False)]
        assert present("tea") == [Present("1", "Alice", False)]
        assert "alice" in heard
    assert present("tea") == []
    assert presence._rooms == {}


def test_whose_last_socket_closes_has_gone_whatever_their_page_said_before(clock: Clock) -> None:
    with attending("tea", ALICE, lambda: None):
        with attending("tea", BOB, lambda: None):
            seen("tea", BOB, editing=True)
        assert present("tea") == [Present("1", "Alice", False)]


def test_a_post_counts_for_a_while(clock: Clock) -> None:
    seen("tea", BOB, editing=True)
    assert present("tea") == [Present("2", "Bob", True)]
    clock.now += presence.SEEN_SECONDS - 1
    assert presence.seconds_until_change("tea") == 1
    clock.now += 2
    assert present("tea") == []
    assert presence.seconds_until_change("tea") == 0 or presence.seconds_until_change("tea") is None


def test_others_hear_of_it_once_when_somebody_begins_and_ends_to_edit(clock: Clock) -> None:
    heard: list[bool] = []
    with attending("tea", ALICE, lambda: heard.append(present("tea")[-1].editing)):
        heard.clear()
        seen("tea", BOB, editing=True)
        seen("tea", BOB, editing=True)
        assert heard == [True]
        seen("tea", BOB, editing=False)
        assert heard == [True, False]


def test_rooms_that_everybody_left_are_forgotten(clock: Clock) -> None:
    seen("tea", BOB, editing=False)
    clock.now += 1000
    seen("cups", BOB, editing=False)
    assert list(presence._rooms) == ["cups"]


def test_a_page_says_that_it_is_here_and_hears_who_else_is(team: Team, clock: Clock) -> None:
    tea = document(team.alice, team.workspace)
    path = f"/artifacts/{tea.pk}/presence/"
    browser(team.bob, htmx=True).post(path, {"editing": "yes"})
    html = browser(team.alice, htmx=True).post(path, {"editing": "no"}).content.decode()
    assert "bob is editing" in html
    assert "alice is here" in html
    page = browser(team.alice).get(f"/artifacts/{tea.pk}/").content.decode()
    assert "bob is editing" in page
    assert browser(team.charlie, htmx=True).post(path, {"editing": "yes"}).status_code == 404
    assert "charlie" not in browser(team.alice).get(f"/artifacts/{tea.pk}/").content.decode()
