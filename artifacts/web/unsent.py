"""What somebody wrote in a form that was not taken, for the page that answers it: nothing is lost."""

from urllib.parse import urlsplit

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

WRITTEN = ("content", "text", "title", "reason", "summary")
"""The fields in which people write more than they would write again."""


def unsent(request: HttpRequest) -> dict[str, str]:
    """For a page that answers a form which was not taken: what was written, its draft's name, and where it was."""
    posted = request.POST
    return {
        "unsent": "\n\n".join(posted[name] for name in WRITTEN if posted.get(name, "").strip()),
        "draft": f"draft:{request.path}{posted.get('workspace', '')}",
        "next": _came_from(request),
    }


def _came_from(request: HttpRequest) -> str:
    """The page of ours that a form was on."""
    referer = request.headers.get("Referer", "")
    ours = url_has_allowed_host_and_scheme(referer, {request.get_host()}, require_https=request.is_secure())
    parts = urlsplit(referer if ours else "/")
    return parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
