from django.apps import AppConfig


class ThreadsConfig(AppConfig):
    """Threads, their runs and their agent."""

    name = "threads"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from threads import mirroring

        mirroring.connect()
