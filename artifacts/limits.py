"""The limits that this site's settings say."""

from django.conf import settings

from artifacts.core.limits import Limits


def limits() -> Limits:
    """How large things may be here."""
    return Limits(
        artifact_bytes=settings.ARTIFACTR_ARTIFACT_BYTES,
        patch_operations=settings.ARTIFACTR_PATCH_OPERATIONS,
        title_characters=settings.ARTIFACTR_TITLE_CHARACTERS,
    )
