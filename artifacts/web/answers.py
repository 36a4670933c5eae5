"""Answers that views give often."""

from typing import Any

from django.http import HttpResponseRedirect
from django.shortcuts import resolve_url


class SeeOther(HttpResponseRedirect):
    """After a form was carried out: look there, with GET."""

    status_code = 303


def see_other(name: str, **arguments: Any) -> SeeOther:
    """The page with this name."""
    return SeeOther(resolve_url(name, **arguments))
