"""`/healthz` says that the process is alive, `/readyz` that its database and channel layer answer.

A middleware and not views: whoever probes comes by address, over plain http, and must be answered before hosts are
checked and before a redirect to https.
"""

import asyncio
from collections.abc import Callable

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse

LAYER_SECONDS = 2.0
"""How long the channel layer may take to answer."""

type Answer = Callable[[HttpRequest], HttpResponse]


class HealthMiddleware:
    """Answers the two health paths, and passes everything else on."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        match request.path_info:
            case "/healthz":
                return plain("alive\n")
            case "/readyz":
                return readiness()
        return self.get_response(request)


def readiness() -> HttpResponse:
    missing = [
        name
        for name, answers in (("database", database_answers), ("channel layer", layer_answers))
        if not answers()
    ]
    if missing:
        return plain("".join(f"The {name} does not answer.\n" for name in missing), status=503)
    return plain("ready\n")


def plain(text: str, *, status: int = 200) -> HttpResponse:
    response = HttpResponse(
        text, status=status, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"}
    )
    response._has_been_logged = True  # type: ignore[attr-defined]  # else as an error, with each probe
    return response


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return False
    return True


def layer_answers() -> bool:
    try:
        async_to_sync(tell_nobody)()
    except Exception:  # noqa: BLE001  # whatever the layer's client raises: it did not answer
        return False
    return True


async def tell_nobody() -> None:
    """A message to a group that nobody is in: it has to reach the layer, and disturbs no one."""
    async with asyncio.timeout(LAYER_SECONDS):
        layer = get_channel_layer()
        assert layer is not None, "settings always name one"
        await layer.group_send("health", {"type": "health"})
