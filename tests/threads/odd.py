"""Tools that return, raise and ask for odd things."""

import asyncio
from collections.abc import Callable
from typing import Any

from pydantic_ai.toolsets import FunctionToolset

TOOLS = "tests.threads.odd.tools"

tools: FunctionToolset[Any] = FunctionToolset()


class Opaque:
    """Nothing that JSON knows."""


class Mute:
    """It cannot say what it is."""

    def __repr__(self) -> str:
        raise ValueError("not a word")


def _circle() -> list[Any]:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def _nested() -> list[Any]:
    """Deeper than Python's own limit, and than what any parser takes."""
    nested: list[Any] = []
    for _ in range(20_000):
        nested = [nested]
    return nested


ODD: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "bytes": lambda: b"\xff\x00",
    "not a number": lambda: {"value": float("nan"), "more": [float("inf")]},
    "NUL": lambda: "a\x00b",
    "surrogate": lambda: "a\ud800b",
    "surrogate key": lambda: {"a\ud800": 1},
    "set": lambda: {1},
    "opaque": Opaque,
    "opaque key": lambda: {Opaque(): Opaque()},
    "circle": _circle,
    "generator": lambda: (number for number in (1, 2)),
    "huge number": lambda: 2**80,
    "huge text": lambda: "x" * 2_000_000,
    "tuple keys": lambda: {(1, 2): 3},
    "nested": _nested,
    "mute": Mute,
    "mute inside": lambda: {"it": [Mute()]},
}


@tools.tool_plain
async def give(what: str) -> Any:
    """Give something odd."""
    await asyncio.sleep(0)
    return ODD[what]()


@tools.tool_plain
async def burst() -> str:
    """Break."""
    raise KeyError("secret")


@tools.tool_plain(requires_approval=True)
async def weigh(grams: float) -> str:
    """Weigh something, with leave."""
    return f"weighed {grams}"
