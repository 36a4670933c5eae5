"""The suggest switch: whether a thread's agent edits or only suggests is everybody's to see and an editor's to say."""

from tests.artifacts.web.people import Team, browser
from threads.models import Thread
from threads.turns import create_thread


def test_an_editor_lets_the_agent_suggest_and_everybody_sees_it(team: Team) -> None:
    thread = create_thread(team.alice, team.workspace, "Tea")
    path = f"/threads/{thread.pk}/"
    assert "The agent edits directly" in browser(team.vera).get(path).content.decode()
    answer = browser(team.bob).post(f"{path}mode/", {"mode": "suggest"})
    assert (answer.status_code, answer["Location"]) == (303, path)
    assert Thread.objects.get(pk=thread.pk).mode == "suggest"
    page = browser(team.vera).get(path).content.decode()
    assert "The agent suggests its changes" in page
    assert f"{path}mode/" not in page
    assert browser(team.bob, htmx=True).post(f"{path}mode/", {"mode": "edit"}).status_code == 200
    assert Thread.objects.get(pk=thread.pk).mode == "edit"


def test_who_may_not_say_it_is_refused(team: Team) -> None:
    thread = create_thread(team.alice, team.workspace, "Tea")
    path = f"/threads/{thread.pk}/mode/"
    assert browser(team.vera).post(path, {"mode": "suggest"}).status_code == 403
    assert browser(team.charlie).post(path, {"mode": "suggest"}).status_code == 404
    assert browser(team.bob).post(path, {"mode": "dance"}).status_code == 422
    assert Thread.objects.get(pk=thread.pk).mode == "edit"
