"""A person's profile: name, address, time zone and theme; another password; and what a sign-in that ran out keeps."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from artifacts.members import actor_of
from artifacts.models import Profile
from artifacts.web.profile import OwnTimeZone
from tests.artifacts.web.people import Team, browser, document

PASSWORD, ANOTHER = "a long enough password", "quite another password"
MAILER = {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}}
CHOSEN = {
    "name": "  Alice   Liddell ",
    "email": "alice@example.org",
    "time_zone": "Asia/Tokyo",
    "theme": "dark",
}


@pytest.fixture
def mails(settings: Settings) -> None:
    settings.MAILERS, settings.ARTIFACTR_SENDS_MAIL, settings.DEFAULT_FROM_EMAIL = (
        MAILER,
        True,
        "us@example.org",
    )


def with_password(user: User) -> User:
    user.email = f"{user.username}@example.org"
    user.set_password(PASSWORD)
    user.save()
    return user


def test_a_person_says_who_they_are_and_how_they_want_their_pages(team: Team) -> None:
    alice = browser(team.alice)
    assert alice.post("/profile/", CHOSEN).status_code == 303
    team.alice.refresh_from_db()
    assert actor_of(team.alice).name == "Alice Liddell"
    assert team.alice.email == "alice@example.org"
    page = alice.get("/profile/").content.decode()
    assert '<html lang="en" data-theme="dark" data-time-zone="Asia/Tokyo">' in page
    assert "Saved." in page
    assert 'value="Alice Liddell"' in page


def test_times_are_in_the_readers_own_time_zone(team: Team) -> None:
    tea = document(team.alice, team.workspace)
    Profile.objects.create(user=team.bob, time_zone="Pacific/Kiritimati")
    pages = [browser(user).get(f"/artifacts/{tea.pk}/").content.decode() for user in (team.bob, team.alice)]
    found = [re.search(r'<time datetime="[^"]+([+-]\d\d:\d\d)">', page) for page in pages]
    assert [match and match[1] for match in found] == ["+14:00", "+00:00"]


@pytest.mark.parametrize(("path", "reads"), [("/artifacts/", 1), ("/artifacts/{tea}/presence/", 0)])
def test_the_profile_is_read_only_for_what_shows_something_of_it(team: Team, path: str, reads: int) -> None:
    tea = document(team.alice, team.workspace)
    Profile.objects.create(user=team.alice, time_zone="Asia/Tokyo")
    alice = browser(team.alice)
    with CaptureQueriesContext(connection) as queries:
        answer = alice.get(path) if reads else alice.post(path.format(tea=tea.pk))
    assert answer.status_code in (200, 204)
    asked = [query["sql"] for query in queries if Profile._meta.db_table in query["sql"]]
    assert len(asked) == reads


@pytest.mark.parametrize("name", ["Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "UTC"])
def test_an_own_time_zone_tells_the_same_time_as_the_zone_it_names(name: str) -> None:
    own, zone = OwnTimeZone(Profile(time_zone=name)), ZoneInfo(name)
    for hours in range(0, 9_000, 5):
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=hours)
        told, true = at.astimezone(own), at.astimezone(zone)
        assert (told.isoformat(), told.tzname()) == (true.isoformat(), true.tzname())
        assert true.replace(tzinfo=own).isoformat() == true.isoformat()


@pytest.mark.parametrize(
    "wrong", [{"time_zone": "Mars/Olympus"}, {"theme": "pink"}, {"email": "nobody"}, {"name": "x" * 151}]
)
def test_what_is_no_profile_changes_nothing(team: Team, wrong: dict[str, str]) -> None:
    answer = browser(team.alice).post("/profile/", {**CHOSEN, **wrong})
    assert answer.status_code == 422
    assert f'id="id_{next(iter(wrong))}_error"' in answer.content.decode()
    assert not Profile.objects.exists()
    team.alice.refresh_from_db()
    assert (team.alice.first_name, team.alice.email) == ("", "")


def test_a_profile_is_for_those_who_are_signed_in(team: Team) -> None:
    for path in ("/profile/", "/password/"):
        assert urlsplit(browser().get(path)["Location"]).path == "/sign-in/"


def test_another_password_ends_the_other_sessions(team: Team) -> None:
    alice = with_password(team.alice)
    here, elsewhere = browser(alice), browser(alice)
    told = {"old_password": PASSWORD, "new_password1": ANOTHER, "new_password2": ANOTHER}
    refused = here.post("/password/", {**told, "old_password": "wrong"})
    assert refused.status_code == 422
    assert "incorrectly" in refused.content.decode()
    assert here.post("/password/", told)["Location"] == "/profile/"
    assert here.get("/profile/").status_code == 200
    assert elsewhere.get("/profile/").status_code == 302
    alice.refresh_from_db()
    assert alice.check_password(ANOTHER)


def test_who_has_no_password_is_told_so(team: Team) -> None:
    assert "has no password" in browser(team.bob).get("/password/").content.decode()


@pytest.mark.usefixtures("mails")
def test_a_forgotten_password_is_replaced_by_a_link_that_works_once(team: Team) -> None:
    alice, client = with_password(team.alice), browser()
    assert "Forgotten your password?" in client.get("/sign-in/").content.decode()
    assert (
        client.post("/password/forgotten/", {"email": alice.email})["Location"] == "/password/forgotten/sent/"
    )
    (letter,) = mail.outbox
    assert letter.to == [alice.email]
    link = re.search(r"http://testserver(/password/new/\S+)", str(letter.body))
    assert link
    form = client.get(link[1], follow=True).request["PATH_INFO"]
    refused = client.post(form, {"new_password1": "short", "new_password2": "short"})
    assert refused.status_code == 422
    done = client.post(form, {"new_password1": ANOTHER, "new_password2": ANOTHER})
    assert done["Location"] == reverse("home")
    assert client.session["_auth_user_id"] == str(alice.pk)
    assert "works no more" in browser().get(link[1], follow=True).content.decode()


@pytest.mark.usefixtures("mails")
def test_whether_an_account_exists_is_not_said(team: Team) -> None:
    with_password(team.alice)
    answers = [
        browser().post("/password/forgotten/", {"email": f"{name}@example.org"})
        for name in ("alice", "nobody")
    ]
    assert answers[0]["Location"] == answers[1]["Location"]
    assert len(mail.outbox) == 1


def test_without_mail_nothing_is_offered_that_cannot_come(team: Team) -> None:
    client = browser()
    assert "Forgotten your password?" not in client.get("/sign-in/").content.decode()
    assert "make signin" in client.get("/password/forgotten/").content.decode()
    assert client.post("/password/forgotten/", {"email": "alice@example.org"}).status_code == 422


def test_a_form_that_came_after_the_sign_in_had_run_out_keeps_its_text(team: Team) -> None:
    posted = {"content": "Half a <b>thought", "workspace": team.workspace, "message_id": "1"}
    page = f"http://testserver/threads/?workspace={team.workspace}"
    answer = browser().post("/threads/", posted, headers={"Referer": page})
    html = answer.content.decode()
    assert answer.status_code == 401
    assert f'data-draft="draft:/threads/{team.workspace}">\nHalf a &lt;b&gt;thought</textarea>' in html
    assert f'href="/sign-in/?next=%2Fthreads%2F%3Fworkspace%3D{team.workspace}"' in html
    assert answer["Cache-Control"].startswith("max-age=0, no-cache, no-store")


def test_one_is_led_back_only_to_our_own_pages(team: Team) -> None:
    for referer in ("https://evil.example/threads/", "", "//evil.example"):
        answer = browser().post("/threads/", {"content": "Hello"}, headers={"Referer": referer})
        assert 'href="/sign-in/?next=%2F"' in answer.content.decode()


def test_a_theme_of_the_profile_is_on_every_page(team: Team, client: Client) -> None:
    Profile.objects.create(user=team.alice, theme="light")
    assert 'data-theme="light"' in browser(team.alice).get("/artifacts/").content.decode()
    assert "data-theme" not in client.get("/sign-in/").content.decode()
