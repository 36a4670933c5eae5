"""What happens to threads and runs, one transaction a file. Every surface calls these; none has rules of its own."""

from threads.turns.answering import Answered, answer
from threads.turns.creating import create_thread
from threads.turns.moding import set_mode
from threads.turns.posting import Posted, post
from threads.turns.stopping import Stopped, stop

__all__ = ["Answered", "Posted", "Stopped", "answer", "create_thread", "post", "set_mode", "stop"]
