"""The settings under test: the site's own, on a database of their own, with what only costs time left out.

`ARTIFACTR_TEST_DATABASE` chooses `sqlite` (a file, as in production) or `postgresql` (a cluster of the tests' own).
"""

import os

from tests.services import session

DATABASE = os.environ.get("ARTIFACTR_TEST_DATABASE", "sqlite")

for name in ("DEBUG", "REDIS_URL", "MAIL", "MODEL", "ORIGINS"):
    os.environ.pop(f"ARTIFACTR_{name}", None)
os.environ["ARTIFACTR_SECRET_KEY"] = session.SECRET_KEY
os.environ["ARTIFACTR_DATABASE_URL"] = session.database_url(DATABASE, "artifactr")

from artifactr_site.settings import *  # noqa: E402, F403
from artifactr_site.settings import DATABASES  # noqa: E402

if DATABASE == "sqlite":
    DATABASES["default"]["TEST"] = {"NAME": str(session.folder() / "test.sqlite3")}

# The tests of limits set them; all others write faster than people do.
ARTIFACTR_PERSON_RUNS = ARTIFACTR_PERSON_MESSAGES_A_MINUTE = None

ALLOWED_HOSTS = ["testserver", "127.0.0.1", "localhost"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
