"""The sign-in link: once, soon, from this machine, and directly."""

import io
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from artifactr_site.signin import LinkRefused, sign_in_path, spend

pytestmark = pytest.mark.django_db

HERE: dict[str, Any] = {"HTTP_HOST": "127.0.0.1:8000", "REMOTE_ADDR": "127.0.0.1"}


@pytest.fixture
def alice() -> User:
    return User.objects.create_user("alice")


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def follow(client: Client, path: str, **extra: Any) -> int:
    return client.get(path, **{**HERE, **extra}).status_code


def test_a_link_signs_in_and_leads_to_the_first_page(client: Client, alice: User) -> None:
    response = client.get(sign_in_path(alice), **HERE)
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_a_link_works_once(client: Client, alice: User) -> None:
    path = sign_in_path(alice)
    follow(client, path)
    stranger = Client()
    response = stranger.get(path, **HERE)
    assert response.status_code == 403
    assert "was used already" in response.content.decode()
    assert not is_signed_in(stranger)


def test_a_link_works_once_even_within_the_second_of_an_earlier_sign_in(client: Client, alice: User) -> None:
    now = timezone.now().replace(microsecond=1)
    alice.last_login = now
    alice.save()
    path = sign_in_path(alice)
    User.objects.filter(pk=alice.pk).update(last_login=now + timedelta(microseconds=1))
    assert follow(client, path) == 403


@pytest.mark.django_db(transaction=True)
def test_of_many_who_follow_one_link_at_once_one_is_signed_in(alice: User) -> None:
    token = sign_in_path(alice).rstrip("/").rpartition("/")[2]
    together = Barrier(8)

    def attempt(_: int) -> bool:
        try:
            together.wait()
            spend(token)
        except LinkRefused:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


def test_a_link_is_too_old_after_ten_minutes(client: Client, alice: User, settings: Settings) -> None:
    path = sign_in_path(alice)
    settings.ARTIFACTR_SIGN_IN_LINK_SECONDS = -1
    response = client.get(path, **HERE)
    assert "is too old" in response.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    "extra",
    [
        {"REMOTE_ADDR": "10.0.0.7"},
        {"REMOTE_ADDR": "::ffff:10.0.0.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_HOST": "testserver"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_X_FORWARDED_PROTO": "http"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
        {"HTTP_X_REAL_IP": "127.0.0.1"},
    ],
    ids=lambda extra: "".join(f"{name}={value}" for name, value in extra.items()),
)
def test_a_link_is_for_a_browser_on_this_machine_that_comes_directly(
    client: Client, alice: User, extra: dict[str, str]
) -> None:
    path = sign_in_path(alice)
    assert follow(client, path, **extra) == 403
    assert not is_signed_in(client)
    assert follow(client, path) == 302, "the refusal spent nothing"


def test_a_link_that_was_refused_is_not_in_the_log(
    client: Client, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    follow(client, sign_in_path(alice), HTTP_VIA="1.1 proxy")
    assert "sign-in" not in caplog.text


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"])
def test_this_machine_has_several_addresses(client: Client, alice: User, address: str) -> None:
    assert follow(client, sign_in_path(alice), REMOTE_ADDR=address, HTTP_HOST="localhost:8000") == 302


def test_a_browser_that_only_guesses_spends_nothing(client: Client, alice: User) -> None:
    path = sign_in_path(alice)
    assert follow(client, path, HTTP_SEC_PURPOSE="prefetch;prerender") == 403
    assert client.head(path, **HERE).status_code == 405
    assert follow(client, path) == 302


def test_a_new_password_ends_old_links(client: Client, alice: User) -> None:
    path = sign_in_path(alice)
    alice.set_password("something new")
    alice.save()
    assert follow(client, path) == 403


def test_who_was_deactivated_is_not_signed_in(client: Client, alice: User) -> None:
    path = sign_in_path(alice)
    User.objects.update(is_active=False)
    assert follow(client, path) == 403


def test_a_link_of_another_installation_is_none(client: Client, alice: User, settings: Settings) -> None:
    path = sign_in_path(alice)
    settings.SECRET_KEY = "another"
    assert "not a sign-in link of this installation" in client.get(path, **HERE).content.decode()


def printed(*arguments: str) -> list[str]:
    output = io.StringIO()
    call_command("signin", *arguments, stdout=output)
    return output.getvalue().splitlines()


def test_the_command_makes_the_first_superuser_and_prints_a_link(client: Client) -> None:
    lines = printed()
    assert "changepassword admin" in lines[0]
    admin = User.objects.get(username="admin")
    assert admin.is_superuser
    assert not admin.has_usable_password()
    assert lines[-1].startswith("http://127.0.0.1:8000/sign-in/")
    assert follow(client, lines[-1].removeprefix("http://127.0.0.1:8000")) == 302


def test_the_command_makes_no_second_superuser() -> None:
    User.objects.create_superuser("root")
    assert "Sign in as root" in printed()[0]
    assert User.objects.count() == 1


def test_the_command_takes_a_name(alice: User) -> None:
    assert "Sign in as alice" in printed("alice")[0]


def test_the_command_knows_whom_it_does_not_know() -> None:
    with pytest.raises(CommandError, match="no active user 'bob'"):
        printed("bob")


def test_the_command_takes_over_no_ordinary_user_called_admin() -> None:
    User.objects.create_user("admin")
    with pytest.raises(CommandError, match="the name 'admin' is taken"):
        printed()


def test_the_command_says_when_no_link_could_work(alice: User, settings: Settings) -> None:
    settings.ARTIFACTR_ORIGINS = ["https://artifactr.example.org"]
    with pytest.raises(CommandError, match="ARTIFACTR_ORIGINS"):
        printed("alice")
