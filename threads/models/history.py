"""Model history, append-only, in the chunks in which it was saved."""

from django.db import models

from threads.models.runs import Run
from threads.models.threads import Thread


class Chunk(models.Model):
    """Some of a thread's model messages. `seq` is how far the log is in this and all earlier chunks.

    `key` names the write that stored it, if a turn's save did.
    """

    thread = models.ForeignKey(Thread, models.CASCADE, related_name="chunks")
    run = models.ForeignKey(Run, models.CASCADE, related_name="chunks")
    seq = models.BigIntegerField()
    key = models.CharField(max_length=100, blank=True)
    messages = models.TextField()

    class Meta:
        ordering = ("id",)
        indexes = (models.Index(fields=("thread", "-id"), name="chunks_newest_first"),)

    def __str__(self) -> str:
        return f"history of {self.thread_id} to {self.seq}"
