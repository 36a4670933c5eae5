"""The rows of threads. Only the transactions in `threads.turns` write them."""

from threads.models.drafts import Draft
from threads.models.history import Chunk
from threads.models.runs import Request, Run
from threads.models.threads import Focus, Thread

__all__ = ["Chunk", "Draft", "Focus", "Request", "Run", "Thread"]
