"""What is said to whoever asks while the database is away: 503, try again, and what they had written comes back.

The handler of errors, and not a middleware: a view, a middleware or a template may be the one to find out.
"""

import logging
import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.cache import add_never_cache_headers
from django.views.defaults import server_error

from artifacts.database import is_away
from artifacts.web.errors import is_htmx
from artifacts.web.unsent import unsent

logger = logging.getLogger(__name__)

RETRY_SECONDS = 5
SENTENCE = "The database cannot be reached just now. Nothing that was saved is lost; try again in a moment."


def broken(request: HttpRequest) -> HttpResponse:
    """The answer to a request that raised: `handler500` of the addresses."""
    error = sys.exc_info()[1]
    return away(request, error) if error is not None and is_away(error) else server_error(request)


def away(request: HttpRequest, error: BaseException) -> HttpResponse:
    """To the page's script a sentence, to programs JSON, to anyone else a page."""
    logger.warning("The database is away, %s was told so: %s", request.method, str(error).partition("\n")[0])
    if is_htmx(request):
        response = HttpResponse(SENTENCE, content_type="text/plain; charset=utf-8")
    elif request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        response = JsonResponse({"code": "database_away", "message": SENTENCE})
    else:
        response = HttpResponse(render_to_string("503.html", _page(request)))
    response.status_code = 503
    response["Retry-After"] = str(RETRY_SECONDS)
    add_never_cache_headers(response)
    response._has_been_logged = True  # type: ignore[attr-defined]  # in one line, and without a traceback
    return response


def _page(request: HttpRequest) -> dict[str, object]:
    """What the page says. It is drawn without the request: who asks is in the database."""
    if request.method == "GET":
        return {"sentence": SENTENCE, "again": request.get_full_path()}
    # Nothing has yet looked at the form's token, so what somebody else's page had them send stays unread.
    is_ours = request.headers.get("Origin") in settings.ARTIFACTR_ORIGINS
    return {"sentence": SENTENCE, **(unsent(request) if is_ours else {})}
