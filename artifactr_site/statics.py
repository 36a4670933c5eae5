"""Static files: hashed, compressed, cached for ever, and never a step that one can forget.

`serve` calls `make_current` before it listens: when the files under `static/` or in a package differ from those that
were collected, it collects them again. An image built for production runs `manage.py collectstatic` itself, and then
nothing is left to do at the start.
"""

import fcntl
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile
from whitenoise.storage import CompressedManifestStaticFilesStorage


def make_current() -> None:
    """Collect the static files unless that was done already. Processes that start together take turns."""
    stamp = stamp_path()
    wanted = fingerprint()
    if is_stamped(stamp, wanted):
        return
    stamp.parent.mkdir(exist_ok=True, parents=True)
    with locked(stamp.with_suffix(".lock")):
        if not is_stamped(stamp, wanted):
            call_command("collectstatic", interactive=False, verbosity=0)


class StaticStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # WhiteNoise has no types
    """Hashed names, in stylesheets and in the imports of scripts too; notes what it was made from."""

    support_js_module_import_aggregation = True

    def save_manifest(self) -> None:
        super().save_manifest()
        stamp_path().write_text(fingerprint())


class StaticMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]  # WhiteNoise has no types
    """WhiteNoise, answering with whole bodies: Django warns of each file that is streamed under ASGI."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        answer = static_file.get_response(request.method, request.META)
        response = HttpResponse(status=int(answer.status))
        del response["Content-Type"]
        for name, value in answer.headers:
            response[name] = value
        if answer.file is not None:
            with answer.file as file:
                response.content = file.read()
        return response


def stamp_path() -> Path:
    return Path(settings.STATIC_ROOT).with_suffix(".sha256")


def is_stamped(stamp: Path, wanted: str) -> bool:
    return stamp.is_file() and stamp.read_text() == wanted


def fingerprint() -> str:
    """A hash over every static file's name and content, and over the version of what processes them."""
    digest = hashlib.sha256(django.__version__.encode())
    for name, path in sorted(sources()):
        digest.update(f"\n{name}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def sources() -> Iterator[tuple[str, Path]]:
    config = apps.get_app_config("staticfiles")
    assert isinstance(config, StaticFilesConfig)
    for finder in get_finders():
        for name, storage in finder.list(config.ignore_patterns):
            yield name, Path(storage.path(name))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
