"""`manage.py chat` as a process of its own, beside one that serves."""

from tests.conftest import Serve


def test_a_chat_works_beside_a_serving_process(serve: Serve) -> None:
    served = serve()
    served.person("alice", superuser=True)
    chat = "chat", "--user", "alice"
    said = served.manage(*chat, types="hello there\n")
    assert "Agent: " in said
    assert "· completed" in said
    listed = served.manage(*chat, "--list")
    assert "idle      hello there" in listed
    again = served.manage(*chat, "--thread", listed.split()[0], types="ask me\n")
    assert "Alice: hello there" in again or "alice: hello there" in again
    assert again.rstrip().endswith("· waits for an answer")
    assert "completed" in served.manage(*chat, "--thread", listed.split()[0], types="1\n")
