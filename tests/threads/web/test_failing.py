"""Each way in which a run fails, as the page tells it: what happened, and what to do."""

import pytest
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)

from tests.artifacts.web.people import Team, browser
from tests.threads.web.turns import thread_with, turn
from threads.agent import failures
from threads.core import status
from threads.core.limits import LimitReached
from threads.turns.claiming import ABANDONED
from threads.turns.ending import Ending, end
from threads.turns.writing import NotPermitted

STEPS = (
    "Try again",
    "Then try again",
    "try again",
    "Say it in other words",
    "say it in other words",
    "send it again",
    "Send a message",
)
HAPPENED = [
    (
        UserError("Set ANTHROPIC_API_KEY."),
        "Set ANTHROPIC_API_KEY. Whoever runs this server can set it right.",
    ),
    (ModelAuthenticationError("m", "no"), "did not accept the key in the environment. Whoever"),
    (ModelNotFoundError("m", "no"), "does not know the model m. Whoever"),
    (ModelTimeoutError("m", "late"), "said nothing for too long"),
    (ModelRateLimitError("m", "no"), "has too much to do"),
    (ModelQuotaExceededError("m", "no"), "has used up its quota or its money. Whoever runs this server"),
    (ModelContextWindowExceededError("m", "no"), "ARTIFACTR_SENT_TOKENS"),
    (ModelConnectionError("m", "reset"), "broke off"),
    (ModelHTTPError(500, "m"), "answered with an error (HTTP 500)"),
    (ContentFilterError("no"), "declined to answer this"),
    (UnexpectedModelBehavior("odd"), "answers that could not be used"),
    (LimitReached("The run made 50 requests, which is the limit"), "50 requests, which is the limit. Send"),
    (NotPermitted("bob"), "may no longer write here"),
    (ValueError("a secret"), "Something went wrong inside (ValueError)"),
]
ENDINGS = [(failures.ending(error), words) for error, words in HAPPENED]
ENDINGS.append((Ending(status.FAILED, "abandoned", ABANDONED), "three times"))


@pytest.mark.parametrize(("ending", "words"), ENDINGS, ids=[words for _, words in ENDINGS])
def test_a_failure_says_what_happened_and_what_to_do(team: Team, ending: Ending, words: str) -> None:
    thread = thread_with(team.alice, team.workspace, "Write")
    end(turn(thread), [], ending)
    page = browser(team.alice).get(f"/threads/{thread.pk}/").content.decode()
    said = page.partition('<span class="why">')[2].partition("</span>")[0]
    assert words in said
    assert "a secret" not in page
    # The last sentence is a step that somebody can take; where that is to try again, the page has a button for it.
    assert said.rstrip(".").rsplit(". ", 1)[-1].startswith(STEPS) or "can send it again" in said
    assert ("Try again</button>" in page) is (ending.code != "limit")
    assert "Try again</button>" not in browser(team.vera).get(f"/threads/{thread.pk}/").content.decode()
