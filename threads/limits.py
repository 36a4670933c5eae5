"""The limits of this installation, as its settings say them."""

from django.conf import settings

from threads.core.limits import RunLimits


def of_a_run() -> RunLimits:
    """What a run may use."""
    return RunLimits(
        requests=settings.ARTIFACTR_RUN_REQUESTS,
        tool_calls=settings.ARTIFACTR_RUN_TOOL_CALLS,
        tokens=settings.ARTIFACTR_RUN_TOKENS,
        seconds=settings.ARTIFACTR_RUN_SECONDS,
    )
