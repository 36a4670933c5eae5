"""What the environment says, checked whole before anything starts.

`read` looks at every `ARTIFACTR_` variable, collects all problems, and raises `WrongEnvironment` with one sentence a
problem: which variable, what is wrong, and an example of what would do. Nothing else reads the environment.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import dj_database_url

from artifactr_site.mail import Mail
from artifactr_site.origins import Origin

LOOPBACK_ORIGINS = "http://127.0.0.1:8000,http://localhost:8000"
DEBUG_SECRET_KEY = "known to everyone, for ARTIFACTR_DEBUG on a laptop only"  # noqa: S105  # no secret
SHORTEST_SECRET_KEY = 50
TURNS, MOST_TURNS = 32, 1000


class WrongEnvironment(Exception):
    """The environment does not say what artifactr needs."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class Refused(Exception):
    """One variable's value does not do; the message goes on after the variable's name."""


@dataclass(frozen=True)
class Environment:
    """The settings that differ from one installation to the next."""

    debug: bool
    secret_key: str
    origins: tuple[Origin, ...]
    database: dj_database_url.DBConfig
    redis_url: str
    mail: Mail | None
    model: str
    turns: int
    log: str
    database_proxy: bool


def read(environ: Mapping[str, str], *, var: Path) -> Environment:
    """The environment, parsed; `var` is the folder for the default database. Raises WrongEnvironment."""
    problems: list[str] = []

    def parsed[T](name: str, parse: Callable[[str], T], otherwise: T) -> T:
        try:
            return parse(environ.get(name, "").strip())
        except Refused as refused:
            problems.append(f"{name} {refused}")
            return otherwise

    debug = parsed("ARTIFACTR_DEBUG", lambda text: yes_or_no("ARTIFACTR_DEBUG", text), otherwise=True)
    environment = Environment(
        debug=debug,
        secret_key=parsed("ARTIFACTR_SECRET_KEY", lambda text: secret_key_from(text, debug=debug), ""),
        origins=parsed("ARTIFACTR_ORIGINS", lambda text: origins_from(text, debug=debug), ()),
        database=parsed(
            "ARTIFACTR_DATABASE_URL", lambda text: database_from(text, var=var), dj_database_url.DBConfig()
        ),
        redis_url=parsed("ARTIFACTR_REDIS_URL", redis_url_from, ""),
        mail=parsed("ARTIFACTR_MAIL", mail_from, None),
        model=parsed("ARTIFACTR_MODEL", model_from, ""),
        turns=parsed("ARTIFACTR_TURNS", turns_from, 1),
        log=parsed("ARTIFACTR_LOG", log_from, "plain"),
        database_proxy=parsed(
            "ARTIFACTR_DATABASE_PROXY",
            lambda text: yes_or_no("ARTIFACTR_DATABASE_PROXY", text),
            otherwise=False,
        ),
    )
    if problems:
        raise WrongEnvironment(problems)
    return environment


def yes_or_no(name: str, text: str) -> bool:
    match text.lower():
        case "1" | "true" | "yes" | "on":
            return True
        case "" | "0" | "false" | "no" | "off":
            return False
    raise Refused(f"is {text!r}, which is neither yes nor no: set {name}=1, or leave it out.")


def secret_key_from(text: str, *, debug: bool) -> str:
    example = "set it to a long random text, such as the output of `openssl rand -base64 48`."
    if not text and debug:
        return DEBUG_SECRET_KEY
    if not text:
        raise Refused(f"is missing: {example}")
    if len(text) < SHORTEST_SECRET_KEY or len(set(text)) < 5:
        raise Refused(f"is too easy to guess ({SHORTEST_SECRET_KEY} characters at least): {example}")
    return text


def origins_from(text: str, *, debug: bool) -> tuple[Origin, ...]:
    """The exact origins browsers use. Plain http is for this machine alone, unless debugging."""
    words = [word.strip() for word in (text or LOOPBACK_ORIGINS).split(",") if word.strip()]
    return tuple(origin_from(word, debug=debug) for word in words)


def origin_from(word: str, *, debug: bool) -> Origin:
    example = "write scheme, host and port alone, such as ARTIFACTR_ORIGINS=https://artifactr.example.org."
    try:
        origin = Origin.parse(word)
    except ValueError as error:
        raise Refused(f"holds {word!r}, {error}: {example}") from None
    if origin.scheme == "http" and not origin.is_loopback and not debug:
        raise Refused(f"holds {word!r}, but http is only for the machine itself: {example}")
    return origin


def database_from(text: str, *, var: Path) -> dj_database_url.DBConfig:
    example = "set ARTIFACTR_DATABASE_URL=postgresql://name:password@host:5432/artifactr, or leave it out for SQLite."
    scheme, _, rest = (text or "default://").partition("://")
    match scheme:
        case "default":
            return dj_database_url.DBConfig(
                ENGINE="django.db.backends.sqlite3", NAME=str(var / "artifactr.sqlite3")
            )
        case "sqlite" if rest.startswith("/") and len(rest) > 1:
            return dj_database_url.DBConfig(
                ENGINE="django.db.backends.sqlite3", NAME=str(var.parent / unquote(rest[1:]))
            )
        case "sqlite":
            raise Refused(
                "names no file: set ARTIFACTR_DATABASE_URL=sqlite:////srv/artifactr/artifactr.sqlite3."
            )
        case "postgresql" | "postgres":
            return postgresql_from(text, example)
    raise Refused(f"is for neither SQLite nor PostgreSQL: {example}")


def postgresql_from(text: str, example: str) -> dj_database_url.DBConfig:
    try:
        database = dj_database_url.parse(text)
    except ValueError:
        raise Refused(f"cannot be read: {example}") from None
    if not database.get("NAME"):
        raise Refused(f"names no database: {example}")
    return database


def redis_url_from(text: str) -> str:
    """Redis' address, or an empty text for the channel layer inside the process."""
    if text and urlsplit(text).scheme not in {"redis", "rediss", "unix"}:
        raise Refused(
            "is no Redis address: set ARTIFACTR_REDIS_URL=redis://127.0.0.1:6379/0, or leave it out."
        )
    return text


def mail_from(text: str) -> Mail | None:
    """How mail is sent, or None where it is not."""
    try:
        return Mail.parse(text) if text else None
    except ValueError as error:
        raise Refused(
            f"{error}: set ARTIFACTR_MAIL=smtp://name:password@mail.example.org:587/artifactr@example.org,"
            " or leave it out."
        ) from None


def model_from(text: str) -> str:
    """`demo`, a pydantic-ai model string, or `python:package.module:name`. Only its shape is checked here."""
    model = text or "demo"
    shape = r"python:\w+(\.\w+)*:\w+|(?!python:)[\w.-]+:\S+|demo"
    if not re.fullmatch(shape, model):
        raise Refused(
            f"is {text!r}, which names no model: set ARTIFACTR_MODEL=demo,"
            " ARTIFACTR_MODEL=anthropic:claude-sonnet-4-5 or ARTIFACTR_MODEL=python:package.module:name."
        )
    return model


def turns_from(text: str) -> int:
    """How many turns a process runs at once."""
    if text and not (text.isdecimal() and 0 < int(text) <= MOST_TURNS):
        raise Refused(
            f"is {text!r}, which is no number of turns: set ARTIFACTR_TURNS={TURNS}, or leave it out for that."
        )
    return int(text or TURNS)


def log_from(text: str) -> str:
    """How log lines are written: `plain` for people, `json` for programs."""
    if text not in {"", "plain", "json"}:
        raise Refused(f"is {text!r}, which is no kind of log: set ARTIFACTR_LOG=json, or leave it out.")
    return text or "plain"
