"""`manage.py chat` as a process of its own, beside one that serves."""

import subprocess
import sys

from tests.conftest import Serve
from tests.services.served import CHECKOUT, Served


def chat(served: Served, *arguments: str, types: str = "") -> str:
    """What a chat says to somebody who types this and then ends their input."""
    result = subprocess.run(
        [sys.executable, CHECKOUT / "manage.py", "chat", "--user", "alice", *arguments],
        cwd=CHECKOUT,
        env=served.environment,
        input=types,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_a_chat_works_beside_a_serving_process(serve: Serve) -> None:
    served = serve()
    served.person("alice", superuser=True)
    said = chat(served, types="hello there\n")
    assert "Agent: " in said
    assert "· completed" in said
    listed = chat(served, "--list")
    assert "idle      hello there" in listed
    again = chat(served, "--thread", listed.split()[0], types="ask me\n")
    assert "Alice: hello there" in again or "alice: hello there" in again
    assert again.rstrip().endswith("· waits for an answer")
    assert "completed" in chat(served, "--thread", listed.split()[0], types="1\n")
