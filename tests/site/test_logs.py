"""Log lines for programs: one JSON object each, with what it is about, and with nobody's words."""

import json
import logging
from contextvars import Context
from typing import Any

import pytest

from artifactr_site.logs import JsonLines
from artifacts.bearings import work_on
from tests.conftest import Serve

SECRET = "what Alice wrote"


def line(error: BaseException | None = None, message: str = "it failed", *values: object) -> dict[str, Any]:
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord("artifacts.log", logging.ERROR, "log.py", 1, message, values, info)
    written = JsonLines().format(record)
    assert "\n" not in written
    found: dict[str, Any] = json.loads(written)
    return found


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_line_says_what_it_is_about() -> None:
    def work() -> dict[str, Any]:
        work_on(workspace="w", thread="t")
        work_on(run="r")
        return line(None, "it failed: %s", "x")

    found = Context().run(work)
    assert (found["workspace"], found["thread"], found["run"]) == ("w", "t", "r")
    assert (found["level"], found["logger"], found["message"]) == ("error", "artifacts.log", "it failed: x")
    assert "thread" not in line()


def test_an_error_is_told_by_its_type_and_place_and_not_by_its_words() -> None:
    found = line(raised(ValueError(SECRET)))
    assert found["error"] == "ValueError"
    assert any("test_logs.py" in frame for frame in found["raised"])
    assert SECRET not in json.dumps(found)


def test_what_a_connection_says_is_kept() -> None:
    assert line(raised(ConnectionRefusedError("refused")))["reason"] == "refused"


def test_of_a_message_only_the_first_line_is_kept() -> None:
    assert line(None, f"Task exception was never retrieved\nfuture: {SECRET}")["message"].endswith(
        "retrieved"
    )


@pytest.mark.processes
def test_a_server_writes_json_when_it_is_told_to(serve: Serve) -> None:
    served = serve("--runs-only", environment={"ARTIFACTR_LOG": "json"})
    assert served.terminate() == 0
    lines = [text for text in served.log().splitlines() if not text.startswith("artifactr ")]
    assert any("turns" in json.loads(text)["message"] for text in lines), served.log()
