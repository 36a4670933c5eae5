"""Why a run failed, as a code for programs and a sentence for people."""

import logging
from typing import Any

from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestTimeout,
    ModelRetry,
    ModelTimeoutError,
    ToolFailed,
    ToolFailedError,
    ToolRetryError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)

from threads.core import limits, status
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


def add_note(error: Exception, note: str) -> None:
    """Put a note before what a tool's error tells the model."""
    match error:
        case ToolRetryError(tool_retry=told) if note:
            told.content = f"{note}\n\n{told.content}"
        case ToolFailedError(tool_failed=told) if note:
            told.content = f"{note}\n\n{told.content}"


def sentence(error: BaseException) -> str:
    """What people are told: what happened and what to do, without internals."""
    match _code(error):
        case "not_permitted":
            return NOT_PERMITTED
        case limits.LIMIT_CODE:
            return f"{str(error).rstrip('.')}. Send a message to go on from here."
        case "configuration":
            return f"The model is not set up. {_set_up(error)}"
        case "model_silent":
            return "The model's provider said nothing for too long. Try again in a moment."
        case "model_error":
            return _provider_said(error)
        case "refused":
            return "The model's provider declined to answer this. Say it in other words."
        case "model_behavior":
            return "The model gave answers that could not be used, several times in a row. Say it in other words."
        case _:
            return f"Something went wrong inside ({type(error).__name__}). The log of the server says more."


def _code(error: BaseException) -> str:
    match error:
        case NotPermitted():
            return "not_permitted"
        case limits.LimitReached() | UsageLimitExceeded():
            return limits.LIMIT_CODE
        case UserError() | ModelAuthenticationError() | ModelNotFoundError():
            return "configuration"
        case ModelTimeoutError() | ModelRequestTimeout():
            return "model_silent"
        case ModelAPIError():
            return "model_error"
        case ContentFilterError():
            return "refused"
        case UnexpectedModelBehavior():
            return "model_behavior"
        case _:
            return "internal"


def _set_up(error: BaseException) -> str:
    match error:
        case ModelAuthenticationError():
            return f"Its provider did not accept the key in the environment{_status(error)}."
        case ModelNotFoundError():
            return f"Its provider does not know the model {error.model_name}{_status(error)}."
        case _:
            return str(error)


def _provider_said(error: BaseException) -> str:
    match error:
        case ModelRateLimitError():
            return "The model's provider has too much to do and asked to wait. Try again in a few minutes."
        case ModelQuotaExceededError():
            return (
                "The account with the model's provider has used up its quota or its money. "
                "Whoever runs this server can see to it. Then try again."
            )
        case ModelContextWindowExceededError():
            return (
                "The thread has grown beyond what the model can read: ARTIFACTR_SENT_TOKENS is set too high for it. "
                "Whoever runs this server can set it right. Then try again."
            )
        case ModelConnectionError():
            return "The connection to the model's provider broke off. Try again in a moment."
        case _:
            return f"The model's provider answered with an error{_status(error)}. Try again in a moment."


def _status(error: BaseException) -> str:
    return f" (HTTP {error.status_code})" if isinstance(error, ModelHTTPError) else ""
