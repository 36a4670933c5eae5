"""A thread as a file, and what one event says."""

import json

from artifacts.core.commands import CreateArtifact
from artifacts.handle import Handle
from artifacts.models import Event
from tests.artifacts.web.people import Team, browser, document
from tests.threads.web.turns import asks, calls, ends, says, thread_with, turn
from threads.core.decisions import Answer
from threads.models import Thread
from threads.turns import answer, follow_artifact, post_notice


def told(team: Team) -> Thread:
    """A thread in which everything happened that a file tells."""
    thread = thread_with(team.alice, team.workspace, "Write <b>about</b> *tea*")
    post_notice(team.bob, str(thread.pk), "n", "Between us")
    follow_artifact(team.alice, str(thread.pk), str(document(team.alice, team.workspace).pk))
    work = turn(thread)
    says(work, "I do.\n\n- green")
    calls(work, "read_artifact", "Green", title="Tea")
    request = asks(work, "Which?", "green", "black")
    answer(team.bob, str(request.pk), Answer("green"))
    ends(turn(thread), "failed", "The model is silent.")
    return thread


def test_a_thread_is_told_in_markdown(team: Team) -> None:
    thread = told(team)
    answer = browser(team.bob).get(f"/threads/{thread.pk}/file.md")
    text = answer.content.decode()
    assert answer["Content-Disposition"] == 'attachment; filename="a-thread.md"'
    order = [
        "# A thread",
        "## alice, ",
        "Write <b>about</b> *tea*",
        "*To people only:*",
        "Between us",
        "I do.\n\n- green",
        "*Tool `read_artifact`: success.*",
        "Which?",
        "**bob answered:** green",
        "*The run failed. The model is silent.*",
        "---\n\n# Tea\n\nGreen and black.",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_a_thread_is_told_in_json_to_the_last_event(team: Team) -> None:
    thread = told(team)
    text = browser(team.bob).get(f"/threads/{thread.pk}/file.json").content.decode()
    told_again = json.loads(text)
    rows = Event.objects.filter(thread=thread.pk).order_by("seq")
    assert [(event["seq"], event["type"], event["data"]) for event in told_again["events"]] == [
        (row.seq, row.type, row.data) for row in rows
    ]
    assert [row["data"]["text"] for row in told_again["artifacts"]] == ["Green and black.\n"]
    assert told_again["thread"]["title"] == "A thread"


def test_a_file_holds_no_other_threads_artifacts(team: Team) -> None:
    thread = told(team)
    Handle.for_user(team.alice, team.workspace).commit(
        CreateArtifact("document", {"title": "Another", "text": ""})
    )
    assert "Another" not in browser(team.bob).get(f"/threads/{thread.pk}/file.json").content.decode()


def test_what_one_event_says_is_copied_as_it_was_written(team: Team) -> None:
    thread = told(team)
    (message, *_) = json.loads(browser(team.bob).get(f"/threads/{thread.pk}/file.json").content)["events"][1:]
    answer = browser(team.bob).get(f"/threads/{thread.pk}/events/{message['seq']}/words.md")
    assert answer.content.decode() == "Write <b>about</b> *tea*"
    assert answer["Content-Type"].startswith("text/markdown")


def test_strangers_get_no_file_and_no_other_kind_of_file_exists(team: Team) -> None:
    thread = told(team)
    for path in ("file.md", "file.json", "events/2/words.md", "sight/"):
        assert browser(team.charlie).get(f"/threads/{thread.pk}/{path}").status_code in (404, 405)
        assert browser().get(f"/threads/{thread.pk}/{path}").status_code in (302, 405)
    assert browser(team.bob).get(f"/threads/{thread.pk}/file.exe").status_code == 404
