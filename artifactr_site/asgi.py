"""The ASGI application: Django for pages, Channels for sockets that come from exactly our origins.

Channels' own validator of allowed hosts ignores the port, which would let any other application on the same host
ride on a person's cookie.
"""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import OriginValidator
from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "artifactr_site.settings")
pages = get_asgi_application()

# Consumers import models, so they can be imported only once Django is set up.
from threads.web.routing import websocket_urlpatterns  # noqa: E402

sockets = URLRouter(websocket_urlpatterns)  # type: ignore[arg-type]  # Django's path() knows no consumers

application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": OriginValidator(AuthMiddlewareStack(sockets), settings.ARTIFACTR_ORIGINS),
    }
)
