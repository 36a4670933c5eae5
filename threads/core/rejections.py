"""What this app refuses, beyond what `artifacts` does."""

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


class NothingToStop(Rejection):
    """No run is going on or paused."""

    code = "nothing_to_stop"

    def __init__(self) -> None:
        super().__init__("There is nothing to stop: the agent is not working here.")
