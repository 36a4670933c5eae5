"""The sockets. They deliver and take nothing."""

from django.urls import path

from artifacts.web.consumers import ArtifactConsumer
from threads.web.consumers import ThreadConsumer

websocket_urlpatterns = [
    path("ws/threads/<uuid:thread_id>/", ThreadConsumer.as_asgi()),
    path("ws/artifacts/<uuid:artifact_id>/", ArtifactConsumer.as_asgi()),
]
