"""The settings as a process sees them: refused without a traceback, or safe."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.services.forked import CHECKOUT

KEY = "seventy characters that nobody will guess, however long they may try it"
PRODUCTION = {
    "ARTIFACTR_SECRET_KEY": KEY,
    "ARTIFACTR_ORIGINS": "https://artifactr.example.org",
    "ARTIFACTR_DATABASE_URL": "postgresql://artifactr@127.0.0.1/artifactr",
}

pytestmark = pytest.mark.processes


SHOW = """
import json, sys
from artifactr_site import settings
print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}, default=str))
"""


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    outside = {
        name: value for name, value in os.environ.items() if not name.startswith(("ARTIFACTR_", "DJANGO_"))
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=CHECKOUT,
        env=outside | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def settings(*names: str, **environment: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(run("-c", SHOW, *names, **environment).stdout)
    return found


def test_a_wrong_environment_ends_in_sentences_and_not_in_a_traceback() -> None:
    result = run("manage.py", "check", ARTIFACTR_MODEL="gpt")
    assert result.returncode == 1
    assert [line.split(" ")[0] for line in result.stderr.splitlines()] == [
        "ARTIFACTR_SECRET_KEY",
        "ARTIFACTR_MODEL",
    ]
    assert result.stdout == ""


def test_https_brings_secure_cookies_a_redirect_and_hsts() -> None:
    found = settings(
        "SESSION_COOKIE_SECURE",
        "CSRF_COOKIE_SECURE",
        "SECURE_SSL_REDIRECT",
        "SECURE_HSTS_SECONDS",
        "SECURE_PROXY_SSL_HEADER",
        "ALLOWED_HOSTS",
        "CSRF_TRUSTED_ORIGINS",
        **PRODUCTION,
    )
    assert found == {
        "SESSION_COOKIE_SECURE": True,
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 31536000,
        "SECURE_PROXY_SSL_HEADER": ["HTTP_X_FORWARDED_PROTO", "https"],
        "ALLOWED_HOSTS": ["artifactr.example.org"],
        "CSRF_TRUSTED_ORIGINS": ["https://artifactr.example.org"],
    }


def test_a_laptop_has_no_debugging_and_trusts_no_proxy() -> None:
    found = settings("DEBUG", "SECURE_PROXY_SSL_HEADER", "SECURE_SSL_REDIRECT", ARTIFACTR_SECRET_KEY=KEY)
    assert found == {"DEBUG": False, "SECURE_PROXY_SSL_HEADER": None, "SECURE_SSL_REDIRECT": False}


def test_scripts_come_from_us_or_carry_a_nonce() -> None:
    policy = settings("SECURE_CSP", **PRODUCTION)["SECURE_CSP"]
    assert isinstance(policy, dict)
    assert policy["script-src"] == ["'self'", "<CSP_NONCE_SENTINEL>"]
    assert policy["connect-src"] == ["'self'", "wss://artifactr.example.org"]
    assert not any("unsafe" in source for sources in policy.values() for source in sources)


def test_redis_carries_announcements_when_it_is_named() -> None:
    url = "redis://127.0.0.1:6379/0"
    found = settings("CHANNEL_LAYERS", "ARTIFACTR_SHARED", **PRODUCTION, ARTIFACTR_REDIS_URL=url)
    layers: Any = found["CHANNEL_LAYERS"]
    assert found["ARTIFACTR_SHARED"]
    assert layers["default"]["BACKEND"] == "channels_redis.pubsub.RedisPubSubChannelLayer"
    assert layers["default"]["CONFIG"]["hosts"][0]["address"] == url
    of_another = {**PRODUCTION, "ARTIFACTR_SECRET_KEY": KEY[::-1], "ARTIFACTR_REDIS_URL": url}
    others: Any = settings("CHANNEL_LAYERS", **of_another)["CHANNEL_LAYERS"]
    assert others["default"]["CONFIG"]["prefix"] != layers["default"]["CONFIG"]["prefix"]


def test_behind_a_proxy_that_shares_sessions_nothing_is_kept_in_one() -> None:
    direct: Any = settings("DATABASES", **PRODUCTION)["DATABASES"]
    behind: Any = settings("DATABASES", **PRODUCTION, ARTIFACTR_DATABASE_PROXY="yes")["DATABASES"]
    assert "idle_in_transaction_session_timeout=5s" in direct["default"]["OPTIONS"]["options"]
    assert "lock_timeout=10s" in direct["default"]["OPTIONS"]["options"]
    assert not direct["default"]["DISABLE_SERVER_SIDE_CURSORS"]
    assert "options" not in behind["default"]["OPTIONS"]
    assert behind["default"]["DISABLE_SERVER_SIDE_CURSORS"]
    assert behind["default"]["OPTIONS"].get("prepare_threshold") is None
