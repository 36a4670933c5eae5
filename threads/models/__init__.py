"""The rows of threads. Only the transactions in `threads.turns` write them."""

from threads.models.drafts import Draft
from threads.models.history import Chunk
from threads.models.runs import Request, Run
from threads.models.sights import Sight
from threads.models.threads import Focus, Thread
from threads.models.usage import Day, ModelRequest, Pace

__all__ = ["Chunk", "Day", "Draft", "Focus", "ModelRequest", "Pace", "Request", "Run", "Sight", "Thread"]
