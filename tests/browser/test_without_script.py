"""Every form works without JavaScript: post, redirect, the page as it then stands."""

from playwright.sync_api import Page, expect

from tests.browser.team import Team


def test_the_whole_walk_without_script(team: Team) -> None:
    page = team.page("root", java_script_enabled=False)
    page.goto(f"{team.served.url}/threads/?workspace={team.workspace}")
    page.locator("#composer textarea").fill("write a document about tea")
    page.locator("#composer button").click()
    wait_for(page, "idle")
    expect(page.locator("#artifact")).to_contain_text("first draft about tea")
    page.locator("#panel-tools >> text=Edit").click()
    page.locator("#edit-text").fill("My *words*.")
    page.locator("form.edit button[value=save]").click()
    expect(page.locator("#artifact em")).to_have_text("words")
    page.goto(team.served.url)
    for words, kind, press in (("ask me", "question", "Answer"), ("publish", "approval", "Approve")):
        page.locator("#composer textarea").fill(words)
        page.locator("#composer button").click()
        wait_for(page, "paused")
        form = page.locator(f"form[data-request][data-kind={kind}]")
        if kind == "question":
            form.locator("input[type=radio]").first.check()
        form.locator(f"text={press}").click()
        wait_for(page, "idle")
    page.locator("#composer textarea").fill("Tell me slowly")
    page.locator("#composer button").click()
    wait_for(page, "running")
    page.locator("form#stop button").first.click()
    wait_for(page, "idle")
    expect(page.locator(".remark").last).to_contain_text("Stopped")


def wait_for(page: Page, status: str) -> None:
    """Reload until the run stands so, as somebody without script has to."""
    for _ in range(100):
        waits = page.locator('#stop-waiting:not([data-count="0"])').count()
        if page.locator(f'#run-status[data-status="{status}"]').count() and not waits:
            return
        page.wait_for_timeout(100)
        page.reload()
    raise AssertionError(f"the run never stood as {status}")
