"""Why a run failed, as a code for programs and a sentence for people."""

import logging
from typing import Any

from pydantic_ai.exceptions import (
    ModelHTTPError,
    ModelRetry,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)

from threads.core import status
from threads.core.limits import LimitReached
from threads.turns.ending import Ending
from threads.turns.writing import ClaimLost, NotPermitted

logger = logging.getLogger(__name__)

NOT_PERMITTED = (
    "The person whom this run worked for may no longer write here. Somebody who may can send it again."
)


def ending(error: BaseException) -> Ending:
    """The end of a run that failed with this error."""
    code = _code(error)
    if code == "internal":
        logger.error("a run failed", exc_info=error)
    return Ending(status.FAILED, code, sentence(error))


def refusal(refused: ClaimLost | NotPermitted | None) -> Ending | None:
    """The end that is left to a turn which may write no more: none without its claim."""
    return ending(refused) if isinstance(refused, NotPermitted) else None


def result(error: Exception) -> tuple[str, Any]:
    """What a tool's error makes of its call: the outcome, and what the model is told.

    What a tool raised to tell the model, pydantic-ai has wrapped before a hook around the tool sees it.
    """
    match error:
        case ToolRetryError(tool_retry=told):
            return "retried", told.content
        case ToolFailedError(tool_failed=told):
            return "failed", told.content
        case ModelRetry(message=words):
            return "retried", words
        case ToolFailed(message=words):
            return "failed", words
        case _:
            return "failed", sentence(error)


def sentence(error: BaseException) -> str:
    """What people are told: what happened and what to do, without internals."""
    match _code(error):
        case "not_permitted":
            return NOT_PERMITTED
        case "limit":
            return f"{str(error).rstrip('.')}. Send a message to go on from here."
        case "configuration":
            return f"The model is not set up: {error}"
        case "model_error":
            return f"The model's provider answered with an error ({_status(error)}). Try again in a moment."
        case "model_behavior":
            return "The model gave answers that could not be used, several times in a row. Say it in other words."
        case _:
            return f"Something went wrong inside ({type(error).__name__}). The log of the server says more."


def _code(error: BaseException) -> str:
    match error:
        case NotPermitted():
            return "not_permitted"
        case LimitReached() | UsageLimitExceeded():
            return "limit"
        case UserError():
            return "configuration"
        case ModelHTTPError():
            return "model_error"
        case UnexpectedModelBehavior():
            return "model_behavior"
        case _:
            return "internal"


def _status(error: BaseException) -> str:
    return f"HTTP {error.status_code}" if isinstance(error, ModelHTTPError) else "unknown"
