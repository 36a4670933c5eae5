"""What happens to threads and runs, one transaction a file. Every surface calls these; none has rules of its own."""

from threads.turns.anonymising import anonymise
from threads.turns.answering import Answered, answer
from threads.turns.archiving import Archived, archive, unarchive
from threads.turns.creating import begin_thread, create_thread
from threads.turns.dismissing import dismiss
from threads.turns.drafts import discard_draft, propose_draft, publish_draft
from threads.turns.following import drop_artifact, follow_artifact
from threads.turns.moding import set_mode
from threads.turns.noticing import post_notice
from threads.turns.posting import Posted, post
from threads.turns.renaming import rename
from threads.turns.retrying import Retried, retry
from threads.turns.stopping import Stopped, stop
from threads.turns.supervising import retry_run, stop_run
from threads.turns.withdrawing import Withdrawn, withdraw

__all__ = [
    "Answered",
    "Archived",
    "Posted",
    "Retried",
    "Stopped",
    "Withdrawn",
    "anonymise",
    "answer",
    "archive",
    "begin_thread",
    "create_thread",
    "discard_draft",
    "dismiss",
    "drop_artifact",
    "follow_artifact",
    "post",
    "post_notice",
    "propose_draft",
    "publish_draft",
    "rename",
    "retry",
    "retry_run",
    "set_mode",
    "stop",
    "stop_run",
    "unarchive",
    "withdraw",
]
