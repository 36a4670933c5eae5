from importlib import import_module

from django.apps import AppConfig
from django.conf import settings


class ArtifactsConfig(AppConfig):
    """Registers the log's app, its kinds, and a workspace of their own for every user."""

    name = "artifacts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from artifacts import founding

        for module in settings.ARTIFACTR_KINDS:
            import_module(module)
        founding.connect()
