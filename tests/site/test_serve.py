"""`manage.py serve` as a real process: it starts ready or says why not, and stops in order."""

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import closing
from http.client import HTTPConnection, HTTPResponse

import pytest

from tests.conftest import Serve
from tests.services import session
from tests.services.forked import CHECKOUT
from tests.services.redis import Redis
from tests.services.served import Served, fresh_database

pytestmark = pytest.mark.processes


def get(url: str, **headers: str) -> HTTPResponse:
    request = urllib.request.Request(
        url, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    try:
        response: HTTPResponse = urllib.request.urlopen(request, timeout=10)
    except urllib.error.HTTPError as error:
        return error  # type: ignore[return-value]  # it has what a response has
    return response


@pytest.mark.both
def test_it_serves_and_stops_in_order_on_sigterm(serve: Serve) -> None:
    served = serve()
    assert f"artifactr serves on {served.url}" in served.log()
    with get(f"{served.url}/healthz") as response:
        assert response.read() == b"alive\n"
    assert served.terminate(seconds=20) == 0
    assert "Traceback" not in served.log()


def test_it_serves_without_a_fork_too() -> None:
    """As it is started everywhere but in these tests."""
    served = Served(fresh_database("sqlite"))
    command = [sys.executable, str(CHECKOUT / "manage.py"), "serve", "--port", str(served.port)]
    with subprocess.Popen(command, env=served.environment, stdout=subprocess.PIPE, text=True) as process:
        session.started(process.pid)
        assert process.stdout is not None
        assert process.stdout.readline().startswith(f"artifactr serves on {served.url}")
        assert served.answers("/readyz")
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        session.ended(process.pid)


def test_it_stops_in_order_on_sigint(serve: Serve) -> None:
    assert serve().send(signal.SIGINT, seconds=20) == 0


@pytest.mark.both
def test_it_comes_back_after_a_power_cut(serve: Serve) -> None:
    served = serve()
    served.kill9()
    assert not served.answers("/healthz")
    served.restart()
    assert served.answers("/readyz")


def test_a_taken_port_is_one_sentence(serve: Serve) -> None:
    served = serve()
    second = Served(served.database_url)
    second.port = served.port
    with pytest.raises(RuntimeError, match="did not get ready"):
        second.start()
    assert second.process is not None
    assert second.process.wait(10) == 1
    assert "Choose another port" in second.log()
    assert "Traceback" not in second.log()


def test_a_database_that_was_not_migrated_is_one_sentence() -> None:
    served = Served(session.database_url("sqlite", "never-migrated"))
    result = subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", "serve", "--port", "0"],
        env=served.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert (
        result.stderr.strip() == "CommandError: The database is not up to date: run manage.py migrate first."
    )


def test_pages_and_turns_can_be_processes_apart(serve: Serve, redis: Redis) -> None:
    environment = {"ARTIFACTR_REDIS_URL": redis.url}
    pages = serve("--no-runs", environment=environment)
    turns = serve("--runs-only", beside=pages)
    assert pages.answers("/readyz")
    assert turns.terminate(seconds=20) == 0
    assert pages.terminate(seconds=20) == 0


def test_a_redis_that_is_away_is_not_ready_and_comes_back(serve: Serve, redis: Redis) -> None:
    served = serve("--no-runs", environment={"ARTIFACTR_REDIS_URL": redis.url})
    redis.stop()
    with get(f"{served.url}/readyz") as response:
        assert response.status == 503
    redis.start()
    served.wait_ready(seconds=10)


def test_a_printed_link_signs_in(serve: Serve) -> None:
    served = serve("--sign-in")
    link = served.log().split()[-1]
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with pytest.raises(urllib.error.HTTPError) as forwarded:
        opener.open(urllib.request.Request(link, headers={"X-Forwarded-For": "127.0.0.1"}))
    forwarded.value.close()
    assert forwarded.value.code == 403
    with opener.open(link) as response:
        assert "/sign-in/" not in response.url


def test_static_files_are_hashed_compressed_and_cached_for_ever(serve: Serve) -> None:
    served = serve("--no-runs")
    with get(f"{served.url}/sign-in/") as response:
        page = response.read().decode()
    path = next(part for part in page.split('"') if part.startswith("/static/") and part.endswith(".css"))
    with get(f"{served.url}{path}", Accept_Encoding="gzip") as response:
        assert response.status == 200
        assert "immutable" in response.headers["Cache-Control"]
        assert response.headers["Content-Encoding"] == "gzip"
        assert "Access-Control-Allow-Origin" not in response.headers
    assert "Warning" not in served.log()


def test_pages_carry_a_strict_policy(serve: Serve) -> None:
    served = serve("--no-runs")
    with get(f"{served.url}/sign-in/") as response:
        headers = response.headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "default-src 'self'" in headers["Content-Security-Policy"]


def test_another_host_is_refused(serve: Serve) -> None:
    served = serve("--no-runs")
    with get(f"{served.url}/sign-in/", Host="evil.example.org") as response:
        assert response.status == 400


def test_a_socket_from_another_port_of_this_machine_is_refused(serve: Serve) -> None:
    served = serve("--no-runs")
    assert handshake(served, origin="http://127.0.0.1:1") == 403
    # Our own origin gets as far as the addresses, of which this is none: an error, and no refusal.
    assert handshake(served, origin=served.url) == 500


def handshake(served: Served, origin: str) -> int:
    """The status of the answer to a web socket's first request."""
    connection = HTTPConnection("127.0.0.1", served.port, timeout=10)
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Origin": origin}
    protocol = {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    with closing(connection):
        connection.request("GET", "/ws/nowhere/", headers=upgrade | protocol)
        return connection.getresponse().status


def test_the_environment_of_a_served_process_is_its_own() -> None:
    os.environ["ARTIFACTR_MODEL"] = "from:outside"
    try:
        assert "ARTIFACTR_MODEL" not in Served("sqlite:////tmp/x.sqlite3").environment
    finally:
        del os.environ["ARTIFACTR_MODEL"]
