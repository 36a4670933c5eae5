"""What paused runs wait for: the queue, the page on which one is decided, and decisions in bulk."""

from threads.admin.requests.queue import RequestAdmin

__all__ = ["RequestAdmin"]
