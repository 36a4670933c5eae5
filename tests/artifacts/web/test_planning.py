"""A plan edited as a plan, by several people at once."""

from typing import Any

import pytest

from artifacts.models import Artifact
from tests.artifacts.web.people import Team, browser, document, plan


def step(user: Any, artifact: Artifact, **posted: Any) -> Any:
    htmx = posted.pop("htmx", False)
    return browser(user, htmx=htmx).post(f"/artifacts/{artifact.pk}/steps/", posted)


def tasks(artifact: Artifact) -> list[tuple[str, str, str]]:
    stored = Artifact.objects.get(pk=artifact.pk).data["tasks"]
    return [(task["name"], task["status"], task["note"]) for task in stored]


CAKE, INVITE = ("Bake <bread> & cake", "doing", ""), ("Invite", "done", "by letter")


@pytest.mark.parametrize(
    ("posted", "expected"),
    [
        ({"step": "add", "name": "Sing"}, [CAKE, INVITE, ("Sing", "todo", "")]),
        ({"step": "done", "task": "a"}, [(CAKE[0], "done", ""), INVITE]),
        ({"step": "todo", "task": "b"}, [CAKE, ("Invite", "todo", "by letter")]),
        ({"step": "down", "task": "a"}, [INVITE, CAKE]),
        ({"step": "up", "task": "b"}, [INVITE, CAKE]),
        ({"step": "drop", "task": "a"}, [INVITE]),
        ({"step": "describe", "task": "b", "name": "Ask", "note": ""}, [CAKE, ("Ask", "done", "")]),
    ],
)
def test_each_step_is_a_version(
    team: Team, posted: dict[str, str], expected: list[tuple[str, str, str]]
) -> None:
    picnic = plan(team.alice, team.workspace)
    answer = step(team.bob, picnic, base=1, **posted)
    assert (answer.status_code, answer["Location"]) == (303, f"/artifacts/{picnic.pk}/form/")
    assert tasks(picnic) == expected
    assert Artifact.objects.get(pk=picnic.pk).version == 2


def test_the_plan_is_renamed(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    step(team.bob, picnic, base=1, step="goal", goal="Feast")
    assert Artifact.objects.get(pk=picnic.pk).title == "Feast"


def test_two_people_change_two_things_at_once(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    step(team.alice, picnic, base=1, step="done", task="a")
    step(team.bob, picnic, base=1, step="describe", task="a", name="Bake", note="")
    step(team.bob, picnic, base=1, step="up", task="b")
    step(team.alice, picnic, base=1, step="add", name="Sing")
    assert tasks(picnic) == [INVITE, ("Bake", "done", ""), ("Sing", "todo", "")]


def test_two_people_who_change_the_same_thing_are_told(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    step(team.alice, picnic, base=1, step="done", task="a")
    answer = step(team.bob, picnic, base=1, step="todo", task="a", htmx=True)
    assert answer.status_code == 409
    assert "alice has since made version 2" in answer.content.decode()
    assert tasks(picnic)[0] == (CAKE[0], "done", "")


def test_a_task_that_somebody_dropped_is_said_to_be_gone(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    step(team.alice, picnic, base=1, step="drop", task="a")
    answer = step(team.bob, picnic, base=1, step="describe", task="a", name="Cake", note="")
    assert answer.status_code == 422
    assert "somebody dropped it" in answer.content.decode()


def test_what_makes_no_sense_is_refused_in_words(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    assert step(team.bob, picnic, base=1, step="add", name=" ").status_code == 422
    assert step(team.bob, picnic, base=1, step="dance", task="a").status_code == 404
    assert step(team.bob, picnic, base=1, step="done").status_code == 404
    assert step(team.bob, picnic, base="x", step="done", task="a").status_code == 404
    assert step(team.bob, picnic, base="9" * 40, step="done", task="a").status_code == 422
    assert (
        step(team.bob, document(team.alice, team.workspace), base=1, step="add", name="x").status_code == 404
    )
    assert tasks(picnic) == [CAKE, INVITE]


def test_strangers_and_readers_take_no_steps(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    assert step(team.charlie, picnic, base=1, step="done", task="a").status_code == 404
    assert step(team.vera, picnic, base=1, step="done", task="a").status_code == 403
    assert tasks(picnic) == [CAKE, INVITE]


def test_the_editor_escapes_what_it_shows_and_says_each_status(team: Team) -> None:
    picnic = plan(team.alice, team.workspace)
    page = browser(team.bob).get(f"/artifacts/{picnic.pk}/form/").content.decode()
    assert "Bake &lt;bread&gt; &amp; cake" in page
    assert 'value="doing" aria-pressed="true"' in page
    assert page.count('class="task-steps"') == 2
