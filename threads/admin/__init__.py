"""The admin of threads: what waits for a decision, and all the rest to read.

Deciding is one call of `threads.turns.answer`, as from every other surface; nothing here writes a row.
"""

from artifacts.admin.events import TYPES
from threads.admin import drafts, history, requests, runs, threads
from threads.core import events

TYPES.extend(events.ALL)

__all__ = ["drafts", "history", "requests", "runs", "threads"]
