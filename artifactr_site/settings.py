"""Django's settings, made from the environment (see `environment.py`) and safe by default.

The first part is what an installation chooses and what an application of its own may override; the rest is wiring.
"""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from django.utils.csp import CSP

from artifactr_site import environment as env
from artifactr_site.databases import django_database

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = BASE_DIR / "var"

try:
    ENVIRONMENT = env.read(os.environ, var=VAR)
except env.WrongEnvironment as wrong:
    sys.exit(str(wrong))

# --- What an installation chooses ---------------------------------------------------------------------------------

ARTIFACTR_MODEL = ENVIRONMENT.model
"""The agent's model: `demo`, a pydantic-ai model string, or `python:package.module:name`."""

ARTIFACTR_DEMO_SECONDS = 20.0
"""How long the demo takes, at most, over what it is asked to do slowly."""

ARTIFACTR_TOOLSETS: list[str] = []
"""An application's own tools: dotted paths of pydantic-ai toolsets (`package.module.name`) that the agent gets too."""

ARTIFACTR_KINDS: list[str] = []
"""An application's own kinds of artifacts: modules (`package.module`) whose subclasses of `Kind` are registered as they
are imported. A template `artifacts/kinds/<kind>.html` shows one; without it, it is shown field by field."""

ARTIFACTR_ARTIFACT_BYTES = 1024 * 1024
"""The most that an artifact's data may have, as JSON."""

ARTIFACTR_PATCH_OPERATIONS = 500
"""The most operations that one JSON patch may have."""

ARTIFACTR_TITLE_CHARACTERS = 200
"""The longest title of an artifact."""

ARTIFACTR_FOCUS_CHARACTERS = 60_000
"""How much of the followed artifacts each model request carries; the rest are listed, to be read."""

ARTIFACTR_MODEL_SILENCE_SECONDS = 120.0
"""How long a model may say nothing, before its answer and in the middle of it, until the run fails."""

ARTIFACTR_MODEL_TRIES = 4
"""How often a model request is made whose provider is busy, broken or out of reach."""

ARTIFACTR_MODEL_WAIT_SECONDS = 60.0
"""The longest wait before a model request is made again. A provider that asks for more fails the run."""

ARTIFACTR_SENT_TOKENS = 100_000
"""How much of a thread a model is sent, in tokens, estimated at four characters each; what is stored is everything.

Of earlier turns the last are sent, each whole; then the oldest results of tools are cut. Instructions and the tools'
definitions come on top, and the followed artifacts beyond the half of it.
"""

ARTIFACTR_RUN_REQUESTS: int | None = 50
"""How many model requests a run may make. This and the limits that follow: None is no limit.

A run's limits count everything that is done for one message, pauses, restarts and retries included; reaching one ends
the run as failed, with the code `limit`. The others refuse the message that would go beyond them.
"""

ARTIFACTR_RUN_TOOL_CALLS: int | None = 200
"""How many tools a run may call."""

ARTIFACTR_RUN_TOKENS: int | None = 2_000_000
"""How many tokens a run may use, input and output together, as the model's provider counts them."""

ARTIFACTR_RUN_SECONDS: float | None = 1800
"""How long a run may work; while it waits for people it does not."""

ARTIFACTR_PERSON_RUNS: int | None = 10
"""How many runs may go on for one person at once."""

ARTIFACTR_PERSON_MESSAGES_A_MINUTE: int | None = 30
"""How many messages one person may send in any sixty seconds."""

ARTIFACTR_WORKSPACE_TOKENS_A_DAY: int | None = 50_000_000
"""How many tokens a workspace's agents may use in a day (UTC). It ends runs, too."""

ARTIFACTR_ORIGINS = [str(origin) for origin in ENVIRONMENT.origins]
"""The exact origins that browsers come from: for pages, forms and web sockets alike."""

ARTIFACTR_SHUTDOWN_SECONDS = 10.0
"""How long a stopping server lets its runs come to a safe point before it cuts them off and hands them over."""

ARTIFACTR_TURNS = ENVIRONMENT.turns
"""How many turns a process runs at once. What is beyond that waits for room, in whichever process."""

ARTIFACTR_SHARED = bool(ENVIRONMENT.redis_url)
"""Whether processes tell one another at once what happens in them; otherwise they find it out by polling."""

ARTIFACTR_DATABASE_PROXY = ENVIRONMENT.database_proxy
"""Whether PostgreSQL is behind a proxy that gives each transaction another session, such as pgbouncer."""

ARTIFACTR_SENDS_MAIL = ENVIRONMENT.mail is not None
"""Whether mail goes out: invitations, which are passed on otherwise, and links for those who forgot their password."""

ARTIFACTR_SIGN_IN_LINK_SECONDS = 600
"""How long a sign-in link works."""

DEBUG = ENVIRONMENT.debug
SECRET_KEY = ENVIRONMENT.secret_key

# --- Applications and requests ------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "artifactr_site.apps.SiteConfig",
    "threads",
    "artifacts",
    "channels",
    "django_htmx",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "artifactr_site.health.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "artifactr_site.statics.StaticMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "artifacts.web.profile.in_own_time_zone",
]

ROOT_URLCONF = "artifactr_site.urls"
ASGI_APPLICATION = "artifactr_site.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.csp",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "artifacts.web.profile.preferences",
            ],
        },
    },
]

LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = LOGIN_URL
PASSWORD_RESET_TIMEOUT = 60 * 60
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"

# --- Data ---------------------------------------------------------------------------------------------------------

DATABASES = {
    "default": django_database(ENVIRONMENT.database, var=VAR, behind_proxy=ENVIRONMENT.database_proxy),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# A Redis that stopped answering is noticed. Several installations may share one: what they say is kept apart.
REDIS_OPTIONS = {"socket_connect_timeout": 2, "socket_timeout": 5, "health_check_interval": 5}
REDIS_PREFIX = "artifactr." + hashlib.sha256(SECRET_KEY.encode()).hexdigest()[:12]

CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": (
        {
            "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
            "CONFIG": {
                "hosts": [{"address": ENVIRONMENT.redis_url, **REDIS_OPTIONS}],
                "prefix": REDIS_PREFIX,
            },
        }
        if ENVIRONMENT.redis_url
        else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    ),
}

# --- Mail: invitations and forgotten passwords, where there is a server for it --------------------------------------

MAILERS = {"default": ENVIRONMENT.mail.mailer()} if ENVIRONMENT.mail else {}
DEFAULT_FROM_EMAIL = ENVIRONMENT.mail.sender if ENVIRONMENT.mail else ""

# --- Static files -------------------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "artifactr_site.statics.StaticStorage"},
}
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- Keeping out --------------------------------------------------------------------------------------------------

ALLOWED_HOSTS = sorted({origin.bracketed_host for origin in ENVIRONMENT.origins})
CSRF_TRUSTED_ORIGINS = ARTIFACTR_ORIGINS

SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF, CSP.NONCE],
    "style-src": [CSP.SELF, CSP.NONCE],
    "img-src": [CSP.SELF, "data:"],
    "connect-src": [CSP.SELF, *(origin.socket for origin in ENVIRONMENT.origins)],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
    "form-action": [CSP.SELF],
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

# https means a proxy in front, as `serve` itself speaks plain http. The proxy has to set `X-Forwarded-Proto` and to
# drop the one it was sent.
HAS_HTTPS = any(origin.scheme == "https" for origin in ENVIRONMENT.origins)
ONLY_HTTPS = all(origin.scheme == "https" for origin in ENVIRONMENT.origins)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HAS_HTTPS else None
SECURE_SSL_REDIRECT = ONLY_HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if ONLY_HTTPS else 0
SESSION_COOKIE_SECURE = HAS_HTTPS
CSRF_COOKIE_SECURE = HAS_HTTPS

# What else is served under the domain is not ours to bind: HSTS is for this host alone, and not for preloading.
# An installation may do without mail: invitations can be passed on, `manage.py signin` replaces a forgotten password.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021", "mail.W001"]

# --- Logging: one line a record, on standard error, plain or as JSON ------------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
        "json": {"()": "artifactr_site.logs.JsonLines"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": ENVIRONMENT.log}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "daphne": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        # It complains each second of a Redis that is away, which the relay says once.
        "channels_redis": {"level": "CRITICAL"},
    },
}
