from django.apps import AppConfig


class ThreadsConfig(AppConfig):
    """Threads, their runs and their agent; and the group of those who review what the agents ask."""

    name = "threads"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from threads import mirroring, reviewers

        reviewers.connect(self)
        mirroring.connect()
