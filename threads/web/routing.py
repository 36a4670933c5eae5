"""The sockets. They deliver and take nothing."""

from collections.abc import Callable
from typing import cast

from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import HttpResponse
from django.urls import URLPattern, path

from artifacts.web.consumers import ArtifactConsumer
from threads.web.arrivals import WorkspaceConsumer
from threads.web.consumers import ThreadConsumer


def socket(route: str, consumer: type[AsyncWebsocketConsumer]) -> URLPattern:
    """A socket's address. Django's `path` is typed for views, and routes ASGI applications as well."""
    return path(route, cast(Callable[..., HttpResponse], consumer.as_asgi()))


websocket_urlpatterns = [
    socket("ws/threads/<uuid:thread_id>/", ThreadConsumer),
    socket("ws/workspaces/<uuid:workspace_id>/", WorkspaceConsumer),
    socket("ws/artifacts/<uuid:artifact_id>/", ArtifactConsumer),
]
