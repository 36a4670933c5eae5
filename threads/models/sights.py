"""How far people have read."""

from django.conf import settings
from django.db import models

from threads.models.threads import Thread


class Sight(models.Model):
    """What a person has seen of a thread: the log up to `seq`."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    thread = models.ForeignKey(Thread, models.CASCADE, related_name="sights")
    seq = models.BigIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "thread"), name="one_sight_a_reader"),)

    def __str__(self) -> str:
        return f"{self.user_id} has seen {self.thread_id} up to {self.seq}"
