"""What the environment may say, and what it is told when it says something else."""

from pathlib import Path

import pytest

from artifactr_site.environment import Environment, WrongEnvironment, read

VAR = Path("/srv/artifactr/var")
KEY = "seventy characters that nobody will guess, however long they may try it"


def reading(**variables: str) -> Environment:
    return read({f"ARTIFACTR_{name}": value for name, value in variables.items()}, var=VAR)


def problems(**variables: str) -> list[str]:
    with pytest.raises(WrongEnvironment) as caught:
        reading(**{"SECRET_KEY": KEY, **variables})
    return caught.value.problems


def test_a_secret_key_is_all_that_is_needed() -> None:
    environment = reading(SECRET_KEY=KEY)
    assert not environment.debug
    assert environment.database["NAME"] == "/srv/artifactr/var/artifactr.sqlite3"
    assert environment.redis_url == ""
    assert environment.model == "demo"
    assert [str(origin) for origin in environment.origins] == [
        "http://127.0.0.1:8000",
        "http://localhost:8000",
    ]


def test_debugging_needs_no_key() -> None:
    assert reading(DEBUG="1").debug


def test_without_a_key_nothing_starts() -> None:
    (sentence,) = problems(SECRET_KEY="")
    assert sentence.startswith("ARTIFACTR_SECRET_KEY is missing: set it to a long random text, such as")


@pytest.mark.parametrize("key", ["short", "ab" * 40])
def test_a_key_that_is_easy_to_guess_is_refused(key: str) -> None:
    assert "is too easy to guess" in problems(SECRET_KEY=key)[0]


def test_all_problems_are_told_at_once_each_with_its_variable_and_an_example() -> None:
    told = problems(
        DEBUG="perhaps",
        ORIGINS="example.org",
        DATABASE_URL="mysql://db/x",
        REDIS_URL="here",
        MAIL="here",
        MODEL="gpt",
    )
    named = [sentence.split(" ")[0] for sentence in told]
    assert named == [
        f"ARTIFACTR_{name}" for name in ("DEBUG", "ORIGINS", "DATABASE_URL", "REDIS_URL", "MAIL", "MODEL")
    ]
    for variable, sentence in zip(named, told, strict=True):
        assert f"{variable}=" in sentence, "no example"
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("origins", "wrong"),
    [
        ("https://example.org/app", "says more than an origin"),
        ("https://user@example.org", "says more than an origin"),
        ("https://*.example.org", "is a pattern"),
        ("https://.example.org", "is a pattern"),
        ("ftp://example.org", "is not an origin"),
        ("https://", "is not an origin"),
        ("https://example.org:port", "Port could not be cast"),
        ("https://[::1", "Invalid IPv6"),
        ("*", "is not an origin"),
        ("http://example.org", "http is only for the machine itself"),
        ("https://a.example.org, http://10.0.0.1", "http is only for the machine itself"),
    ],
)
def test_an_origin_is_exact_and_safe(origins: str, wrong: str) -> None:
    assert wrong in problems(ORIGINS=origins)[0]


def test_origins_may_be_several() -> None:
    environment = reading(SECRET_KEY=KEY, ORIGINS="https://A.example.org:443, http://[::1]:8000 ,")
    assert [str(origin) for origin in environment.origins] == ["https://a.example.org", "http://[::1]:8000"]
    assert [origin.socket for origin in environment.origins] == ["wss://a.example.org", "ws://[::1]:8000"]


def test_debugging_allows_plain_http_in_the_local_network() -> None:
    assert reading(DEBUG="1", ORIGINS="http://192.168.0.7:8000").origins[0].port == 8000


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("sqlite:////data/a%20b.sqlite3", "/data/a b.sqlite3"),
        ("sqlite:///other.sqlite3", "/srv/artifactr/other.sqlite3"),
        ("postgresql://me:secret@db.example.org:5433/artifactr", "artifactr"),
        ("postgres:///artifactr", "artifactr"),
    ],
)
def test_a_database_is_sqlite_or_postgresql(url: str, name: str) -> None:
    assert reading(SECRET_KEY=KEY, DATABASE_URL=url).database["NAME"] == name


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "sqlite://:memory:",
        "postgresql://host/",
        "postgresql://host:x/name",
        "artifactr.sqlite3",
    ],
)
def test_a_database_that_cannot_be_is_refused(url: str) -> None:
    (sentence,) = problems(DATABASE_URL=url)
    assert sentence.startswith("ARTIFACTR_DATABASE_URL ")
    assert sentence.endswith(".")


def test_a_refusal_shows_no_password() -> None:
    (sentence,) = problems(DATABASE_URL="mysql://me:secret@host/artifactr")
    assert "secret" not in sentence


@pytest.mark.parametrize(
    "model",
    [
        "demo",
        "anthropic:claude-sonnet-4-5",
        "openai:gpt-5",
        "python:acme.models:model",
        "google-gla:gemini-2.5-pro",
    ],
)
def test_a_model_is_named(model: str) -> None:
    assert reading(SECRET_KEY=KEY, MODEL=model).model == model


@pytest.mark.parametrize(
    "model", ["python:acme", "python:acme.models", "python:acme:x-y", "claude", "openai:"]
)
def test_a_model_that_names_nothing_is_refused(model: str) -> None:
    assert "names no model" in problems(MODEL=model)[0]


def test_mail_is_off_until_a_server_is_named() -> None:
    assert reading(SECRET_KEY=KEY).mail is None


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (
            "smtp://me:p%40ss@mail.example.org/a@example.org",
            ("mail.example.org", 587, "me", "p@ss", True, False),
        ),
        ("smtps://me:p@mail.example.org/a@example.org", ("mail.example.org", 465, "me", "p", False, True)),
        ("smtp://localhost:25/a@example.org", ("localhost", 25, "", "", False, False)),
        ("smtp://[::1]:25/a@example.org", ("::1", 25, "", "", False, False)),
    ],
)
def test_a_mail_server_is_spoken_to_in_secret(address: str, expected: tuple[object, ...]) -> None:
    mail = reading(SECRET_KEY=KEY, MAIL=address).mail
    assert mail is not None
    options = mail.mailer()["OPTIONS"]
    assert (
        tuple(options[name] for name in ("host", "port", "username", "password", "use_tls", "use_ssl"))
        == expected
    )
    assert mail.sender == "a@example.org"


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("mail.example.org", "is no mail server's address"),
        ("http://mail.example.org/a@example.org", "is no mail server's address"),
        ("smtp:///a@example.org", "is no mail server's address"),
        ("smtp://mail.example.org", "does not say whom mail is from"),
        ("smtp://mail.example.org/a@b@c", "does not say whom mail is from"),
        ("smtp://mail.example.org:port/a@example.org", "Port could not be cast"),
    ],
)
def test_a_mail_server_has_an_address_and_a_sender(address: str, wrong: str) -> None:
    assert wrong in problems(MAIL=address)[0]
