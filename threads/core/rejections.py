"""What this app refuses, beyond what `artifacts` does."""

import math

from artifacts.core.rejections import Rejection


class ChangedMeanwhile(Rejection):
    """What the decision is about is no longer what was shown. Details: `artifacts`, their titles."""

    code = "changed_meanwhile"

    def __init__(self, titles: list[str]) -> None:
        super().__init__(
            f"{', '.join(titles)} changed since this was shown to you. Look at it as it is now, then decide.",
            artifacts=titles,
        )


class MessageIdReused(Rejection):
    """The message id was used for other words. The text is kept; a new id is needed."""

    code = "message_id_reused"

    def __init__(self) -> None:
        super().__init__("Another message was sent with this form. Your text is kept: send it again.")


class AlreadyDelivered(Rejection):
    """The agent has the message: it cannot be taken back."""

    code = "already_delivered"

    def __init__(self) -> None:
        super().__init__(
            "The agent has this message already. Write to it, or stop it, if it should not act on it."
        )


class FocusFull(Rejection):
    """As many artifacts are followed as may be, each because somebody chose it. Details: `limit`."""

    code = "focus_full"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"This thread follows {limit} artifacts already. Drop one of them first.", limit=limit
        )


class StillWriting(Rejection):
    """The agent is writing the draft: it can be decided once the run has ended."""

    code = "still_writing"

    def __init__(self) -> None:
        super().__init__("The agent is still writing this. Stop its run first, or wait until it is done.")


class NothingToRetry(Rejection):
    """The run has not failed or been stopped, has used what it may, or is not the thread's last one."""

    code = "nothing_to_retry"

    def __init__(self) -> None:
        super().__init__(
            "There is nothing to try again: this run is not the last one here, did not fail, or has used what one may."
            " Send a message instead."
        )


class NothingToStop(Rejection):
    """No run is going on or paused."""

    code = "nothing_to_stop"

    def __init__(self) -> None:
        super().__init__("There is nothing to stop: the agent is not working here.")


class TooManyMessages(Rejection):
    """The person wrote too often. Details: `limit` messages a minute, and in how many `seconds` the next may come."""

    code = "too_many_messages"

    def __init__(self, limit: int, seconds: float) -> None:
        wait = max(1, math.ceil(seconds))
        super().__init__(
            f"You may send {limit} messages a minute. Send this one again in {wait} second{'s' if wait > 1 else ''}.",
            limit=limit,
            seconds=wait,
        )


class TooManyRuns(Rejection):
    """As many runs go on for the person as may at once. Details: `limit`."""

    code = "too_many_runs"

    def __init__(self, limit: int) -> None:
        super().__init__(
            f"The agent is already working for you in {limit} thread{'s' if limit > 1 else ''}, which is as many as may"
            " be at once. Wait until one is done, or stop one.",
            limit=limit,
        )


class DayUsedUp(Rejection):
    """The workspace has used what its agents may use in a day."""

    code = "day_used_up"

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} The agent works again tomorrow.")
