"""How a person wants their pages."""

from django.conf import settings
from django.db import models


class Profile(models.Model):
    """A person's time zone and theme; empty ones are their browser's."""

    class Theme(models.TextChoices):
        AUTOMATIC = "", "As the device has it"
        LIGHT = "light", "Light"
        DARK = "dark", "Dark"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="profile"
    )
    time_zone = models.CharField(max_length=64, blank=True)
    theme = models.CharField(max_length=10, choices=Theme.choices, blank=True)

    def __str__(self) -> str:
        return f"The profile of {self.user_id}"
