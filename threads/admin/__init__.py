"""The admin of threads: what waits for a decision, and all the rest to read.

Each deed is one call of a command in `threads.turns`, as from every other surface; nothing here writes a row itself.
"""

from artifacts.admin.events import TYPES
from threads.admin import accounts, drafts, history, requests, runs, threads, usage
from threads.core import events

TYPES.extend(events.ALL)

__all__ = ["accounts", "drafts", "history", "requests", "runs", "threads", "usage"]
