"""Log lines as JSON objects, for programs: what happened, where, and to which workspace, thread and run.

No content gets into them. Of a message only the first line is kept, of an error its type and its place: what it
says may quote what people or a model wrote. Only errors of the network and of the database's connection say more.
"""

import json
import logging
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from django.db import InterfaceError, OperationalError

from artifacts.bearings import working_on

LONGEST = 500
"""Characters of a message."""

HARMLESS = (OSError, OperationalError, InterfaceError)
"""Errors that quote nobody."""

FRAMES = 12
"""Of a traceback, the innermost ones."""


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": _first_line(record.getMessage()),
            **working_on(),
        }
        if record.exc_info and record.exc_info[1]:
            line |= _error(record.exc_info[1], record.exc_info[2])
        return json.dumps(line, ensure_ascii=False, default=str)


def _error(error: BaseException, trace: TracebackType | None) -> dict[str, Any]:
    frames = traceback.extract_tb(trace)[-FRAMES:]
    found: dict[str, Any] = {
        "error": type(error).__qualname__,
        "raised": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if isinstance(error, HARMLESS):
        found["reason"] = _first_line(str(error))
    if error.__cause__ is not None:
        found["cause"] = type(error.__cause__).__qualname__
    return found


def _first_line(text: str) -> str:
    return text.partition("\n")[0][:LONGEST]
