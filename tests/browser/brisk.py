"""The site as it is, with a demo that is slow for no longer than two people need to look and to interrupt it."""

from artifactr_site.settings import *  # noqa: F403

ARTIFACTR_DEMO_SECONDS = 10.0
