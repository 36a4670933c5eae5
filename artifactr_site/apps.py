"""The site as a Django app, so that its commands (`serve`, `signin`) are found."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "artifactr_site"
