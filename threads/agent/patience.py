"""When a model's provider is asked again: it is busy or cannot be reached, and nothing of its answer was seen yet."""

from django.conf import settings
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
)

FIRST_WAIT = 1.0


def wait_before_trying_again(error: Exception, attempt: int) -> float | None:
    """How many seconds to wait after this attempt (1 for the first) failed; None to give up.

    What the provider asks for is waited for, unless it is longer than people should wait.
    """
    if (
        not isinstance(error, ModelAPIError)
        or not _is_passing(error)
        or attempt >= settings.ARTIFACTR_MODEL_TRIES
    ):
        return None
    wait = FIRST_WAIT * 2 ** (attempt - 1) if error.retry_after is None else error.retry_after
    return wait if wait <= settings.ARTIFACTR_MODEL_WAIT_SECONDS else None


def notice(error: Exception, wait: float) -> str:
    """What the page says meanwhile."""
    seconds = f"{max(1, round(wait))} second{'s' if round(wait) > 1 else ''}"
    match error:
        case ModelRateLimitError():
            return f"The model's provider asks to wait for {seconds}. The agent goes on then."
        case ModelConnectionError():
            return f"The model's provider cannot be reached. It is tried again in {seconds}."
        case _:
            return f"The model's provider is busy or broken. It is tried again in {seconds}."


def _is_passing(error: ModelAPIError) -> bool:
    """Whether the same request may well succeed later. Silence has cost its time already."""
    if isinstance(error, ModelTimeoutError):
        return False
    return isinstance(
        error, ModelRateLimitError | ModelUnavailableError | ModelServerError | ModelConnectionError
    )
