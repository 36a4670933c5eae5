"""What a run may use, and what people are told when it has used it. A limit of None is no limit.

Usage is counted over everything that is done for one message: over pauses, restarts, and runs that were tried again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

LIMIT_CODE = "limit"
"""Why a run failed that reached one."""

REQUESTS, TOOL_CALLS, SECONDS = "requests", "tool_calls", "seconds"
INPUT, OUTPUT = "input_tokens", "output_tokens"

type Usage = Mapping[str, float]
"""Numbers by name: `requests`, `tool_calls`, `input_tokens`, `output_tokens`, and `seconds` of work."""


class LimitReached(Exception):
    """A limit ends the run; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Used:
    """What one model request used. `cached_tokens` are those of the input that the provider had kept."""

    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    tool_calls: int = 0

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def usage(self) -> dict[str, float]:
        """The same as numbers by name."""
        return {
            REQUESTS: 1,
            TOOL_CALLS: self.tool_calls,
            INPUT: self.input_tokens,
            OUTPUT: self.output_tokens,
        }


def added(*usages: Usage) -> dict[str, float]:
    """Several usages as one."""
    names = dict.fromkeys(name for usage in usages for name in usage)
    return {name: sum(usage.get(name, 0) for usage in usages) for name in names}


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What one run may use."""

    requests: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def require_request(self, used: Usage) -> None:
        """Raises `LimitReached` if a run that used this may make no further model request."""
        if _is_reached(self.requests, used.get(REQUESTS, 0)):
            raise LimitReached(f"The run has made the {self.requests:,} model requests that one may make.")
        if _is_reached(self.tokens, used.get(INPUT, 0) + used.get(OUTPUT, 0)):
            raise LimitReached(f"The run has used the {self.tokens:,} tokens that one may use.")

    def require_calls(self, used: Usage) -> None:
        """Raises `LimitReached` if the calls that the model has just made, which `used` counts, are too many."""
        if self.tool_calls is not None and used.get(TOOL_CALLS, 0) > self.tool_calls:
            raise LimitReached(
                f"The run wants more than the {self.tool_calls:,} tool calls that one may make."
            )

    def seconds_left(self, used: Usage) -> float | None:
        """How long a run that used this may still work."""
        return None if self.seconds is None else max(0.0, self.seconds - used.get(SECONDS, 0))

    def out_of_time(self) -> LimitReached:
        """The end of a run that worked for too long."""
        return LimitReached(f"The run has worked for the {_duration(self.seconds or 0)} that one may take.")


def require_day(limit: int | None, used: int) -> None:
    """Raises `LimitReached` if a workspace has used its tokens of this day."""
    if _is_reached(limit, used):
        raise LimitReached(f"The workspace has used the {limit:,} tokens that it may use in a day (UTC).")


def _is_reached(limit: int | None, used: float) -> bool:
    return limit is not None and used >= limit


def _duration(seconds: float) -> str:
    """A duration as people say it."""
    if seconds < 120:
        return f"{seconds:g} seconds"
    return f"{seconds / 60:g} minutes" if seconds < 7200 else f"{seconds / 3600:g} hours"
