"""What the transcript shows. An event without `about` creates a thing, one with `about` changes it.

A thing is drawn from the event that created it and the newest of each kind of event about it; so a page that was
watched and a page that was reloaded are drawn from the same.
"""

from threads.web.things.drawing import Thing, draw, draw_changes, gathered

__all__ = ["Thing", "draw", "draw_changes", "gathered"]
