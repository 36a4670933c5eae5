"""What the page says while a run waits for its model's provider."""

from threads.live import Hub
from threads.web.live import LiveView, Watcher


def test_a_notice_is_shown_while_it_stands_and_goes_with_what_follows() -> None:
    hub, view, watcher = Hub(), LiveView(), Watcher()
    with hub.running("thread") as run:
        run.grow("a-notice-1", "notice", "The model's provider asks to wait <b>")
        shown = watcher.additions(view.take(run))
        assert 'id="part-a-notice-1"' in shown
        assert "asks to wait &lt;b&gt;" in shown
        assert watcher.additions(view.take(run)) == ""
        run.drop(["a-notice-1"])
        assert watcher.removals(view.take(run)) == '<i id="part-a-notice-1" hx-swap-oob="delete"></i>'
