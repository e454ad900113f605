"""Settings for every installation: safe as they stand, changed by environment variables alone (see ldpsite.env)."""

import os
import re
import secrets
import tempfile
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from ldpsite import broker, embedded, sign_on
from ldpsite.body_sizes import SMALL_BODY_BYTES
from ldpsite.buckets import with_deadline
from ldpsite.env import BASE_DIR, data_dir, env, envbool, envint, envjson, envlist

DATA_DIR = data_dir()
DEBUG = envbool("LDPSITE_DEBUG")

# Plain HTTP on this machine only: `manage.py run` and the tests set it. Cookies then travel without TLS.
LOCAL_HTTP = envbool("LDPSITE_LOCAL_HTTP")
# Pages then say where the demo's password is, and what is still being simulated. `manage.py run` sets it.
LDPSITE_DEMO = envbool("LDPSITE_DEMO")


def _secret_key() -> str:
    """Return the configured key, or this machine's own, made once. Several machines have to share one."""
    if key := env("LDPSITE_SECRET_KEY"):
        return key
    path = DATA_DIR / "secret-key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        # Two first processes may come here at once: linking a complete file lets one of them win. Its mode is 0600.
        with tempfile.NamedTemporaryFile("w", dir=DATA_DIR) as new:
            new.write(secrets.token_urlsafe(50))
            new.flush()
            try:
                os.link(new.name, path)
            except FileExistsError:
                pass
    return path.read_text(encoding="ascii").strip()


SECRET_KEY = _secret_key()

# --- Applications ---

INSTALLED_APPS = [
    "ldpsite.apps.StaffConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    # Before staticfiles: `runserver` then serves static files as the real server does.
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "ldpsite",
    "reports",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "ldpsite.middleware.default_headers",
    "reports.web.query_strings.queries_without_nul",
    "ldpsite.middleware.answers_to_devices",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ldpsite.middleware.PageCompressionMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "ldpsite.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Before the body is read for the sake of a token against forgery.
    "ldpsite.middleware.LargeBodies",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    # Views that are open to strangers say so.
    "reports.web.pages.login.LoginRequired",
    "reports.accounts.preferences.PreferencesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "reports.web.pages.storage_unavailable.StorageUnavailableMiddleware",
]

# With it, a server of metrics may ask at /metrics; without it there are none, and nothing is measured.
LDPSITE_METRICS_TOKEN = env("LDPSITE_METRICS_TOKEN")
if LDPSITE_METRICS_TOKEN:
    if len(LDPSITE_METRICS_TOKEN) < 16:
        raise ImproperlyConfigured("LDPSITE_METRICS_TOKEN must have at least 16 characters.")
    MIDDLEWARE.insert(0, "ldpsite.metrics.measure")

# Where traces and errors go, scrubbed: http://collector:4318. Nowhere without it.
LDPSITE_OTLP_ENDPOINT = env("LDPSITE_OTLP_ENDPOINT")
if LDPSITE_OTLP_ENDPOINT:
    if find_spec("opentelemetry") is None:
        raise ImproperlyConfigured("LDPSITE_OTLP_ENDPOINT needs the packages of requirements-telemetry.txt.")
    MIDDLEWARE.insert(0, "ldpsite.tracing.Tracing")

ROOT_URLCONF = "ldpsite.urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "reports.web.pages.people.navigation",
            ],
        },
    },
]

FORM_RENDERER = "reports.web.form_renderer.FormRenderer"

# --- Database ---

DATABASE_URL = env("DATABASE_URL")
DATABASES: dict[str, Any] = {
    "default": dj_database_url.parse(
        DATABASE_URL or embedded.url(DATA_DIR),
        conn_max_age=envint("LDPSITE_CONN_MAX_AGE", 60),
        conn_health_checks=True,
    ),
}
if DATABASES["default"]["ENGINE"] != "django.db.backends.postgresql":
    raise ImproperlyConfigured("DATABASE_URL must name a PostgreSQL database (postgresql://user@host/name).")

# Names the function that lists where programs of PostgreSQL are: `back_up` and `restore` call two of them.
LDPSITE_POSTGRES_PROGRAMS = "ldpsite.embedded.binaries.folders"

# --- Cache: what is computed from results that have not changed since (see reports.results.caching) ---

# Each process has its own, and of its entries those that were not asked for longest go first. Processes may share one:
# Django's name of a backend, as JSON: {"BACKEND": "…", "LOCATION": "…"}.
CACHES: dict[str, dict[str, Any]] = {
    "default": envjson("LDPSITE_CACHE")
    or {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "TIMEOUT": 24 * 3600,
        # Each is 64 KiB at most (reports/results/caching.py), and most are a few hundred bytes.
        "OPTIONS": {"MAX_ENTRIES": 1000},
    },
}

# --- Web ---

ALLOWED_HOSTS = envlist("LDPSITE_ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = envlist("LDPSITE_CSRF_TRUSTED_ORIGINS")

SECURE_SSL_REDIRECT = not LOCAL_HTTP and envbool("LDPSITE_SSL_REDIRECT", default=True)
# Load balancers, and servers of metrics, ask these over plain HTTP.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 0 if LOCAL_HTTP else envint("LDPSITE_HSTS_SECONDS", 365 * 24 * 3600)
SECURE_HSTS_INCLUDE_SUBDOMAINS = envbool("LDPSITE_HSTS_SUBDOMAINS", default=True)
SECURE_HSTS_PRELOAD = envbool("LDPSITE_HSTS_PRELOAD", default=True)
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = not LOCAL_HTTP
CSRF_COOKIE_SECURE = not LOCAL_HTTP
X_FRAME_OPTIONS = "DENY"
# Only behind a proxy that always sets or strips this header: otherwise anyone can claim to have come by HTTPS.
if envbool("LDPSITE_SECURE_PROXY_HEADER"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# --- Who comes in: by a password, a provider of single sign-on, or a proxy that knows who asks ---

LDPSITE_PASSWORD_LOGIN = envbool("LDPSITE_PASSWORD_LOGIN", default=True)

LDPSITE_OIDC_DISCOVERY_URL = env("LDPSITE_OIDC_DISCOVERY_URL")
LDPSITE_OIDC_CLIENT_ID = env("LDPSITE_OIDC_CLIENT_ID")
LDPSITE_OIDC_CLIENT_SECRET = env("LDPSITE_OIDC_CLIENT_SECRET")
LDPSITE_OIDC_SCOPES = env("LDPSITE_OIDC_SCOPES", "openid profile email")
LDPSITE_OIDC_GROUPS_CLAIM = env("LDPSITE_OIDC_GROUPS_CLAIM", "groups")
# How the login names the provider.
LDPSITE_OIDC_NAME = env("LDPSITE_OIDC_NAME") or (urlsplit(LDPSITE_OIDC_DISCOVERY_URL).hostname or "")

LDPSITE_PROXY_USER_HEADER = env("LDPSITE_PROXY_USER_HEADER")
LDPSITE_PROXY_GROUPS_HEADER = env("LDPSITE_PROXY_GROUPS_HEADER")
LDPSITE_PROXY_ADDRESSES = envlist("LDPSITE_PROXY_ADDRESSES")
LDPSITE_PROXY_SECRET = env("LDPSITE_PROXY_SECRET")

# The meaning of groups here, for both.
LDPSITE_SSO_GROUPS = sign_on.group_mapping(envjson("LDPSITE_SSO_GROUPS"))
LDPSITE_SSO_STAFF_GROUPS = envlist("LDPSITE_SSO_STAFF_GROUPS")
LDPSITE_SSO_ADMIN_GROUPS = envlist("LDPSITE_SSO_ADMIN_GROUPS")

_LETS_IN = bool(LDPSITE_SSO_GROUPS or LDPSITE_SSO_ADMIN_GROUPS)
sign_on.check_provider(LDPSITE_OIDC_DISCOVERY_URL, LDPSITE_OIDC_CLIENT_ID, LDPSITE_OIDC_SCOPES, lets_in=_LETS_IN)
sign_on.check_proxy(
    LDPSITE_PROXY_USER_HEADER,
    LDPSITE_PROXY_GROUPS_HEADER,
    LDPSITE_PROXY_ADDRESSES,
    LDPSITE_PROXY_SECRET,
    lets_in=_LETS_IN,
)
_SINGLE_SIGN_ON = bool(LDPSITE_OIDC_DISCOVERY_URL or LDPSITE_PROXY_USER_HEADER)
if not LDPSITE_PASSWORD_LOGIN and not _SINGLE_SIGN_ON:
    raise ImproperlyConfigured("LDPSITE_PASSWORD_LOGIN=0 needs single sign-on: no login would be left.")

AUTHENTICATION_BACKENDS = []
if LDPSITE_PASSWORD_LOGIN:
    AUTHENTICATION_BACKENDS.append("reports.accounts.logins.ThrottledBackend")
if LDPSITE_OIDC_DISCOVERY_URL:
    AUTHENTICATION_BACKENDS.append("reports.accounts.single_sign_on.signed_on.SignedOnBackend")
if LDPSITE_PROXY_USER_HEADER:
    AUTHENTICATION_BACKENDS.append("reports.accounts.single_sign_on.proxy.ProxyBackend")
    MIDDLEWARE.insert(
        MIDDLEWARE.index("reports.accounts.preferences.PreferencesMiddleware"),
        "reports.accounts.single_sign_on.proxy.ProxyMiddleware",
    )
# With whom a session belongs to, so that people see and end theirs. It ends at a fixed time after the login.
SESSION_ENGINE = "reports.accounts.sessions"
SESSION_COOKIE_AGE = envint("LDPSITE_SESSION_HOURS", 12 if _SINGLE_SIGN_ON else 14 * 24) * 3600
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
# For how long the link of a mail resets a password.
PASSWORD_RESET_TIMEOUT = 24 * 3600
AUTH_PASSWORD_VALIDATORS = [
    *(
        {"NAME": f"django.contrib.auth.password_validation.{name}"}
        for name in (
            "UserAttributeSimilarityValidator",
            "MinimumLengthValidator",
            "CommonPasswordValidator",
            "NumericPasswordValidator",
        )
    ),
    {"NAME": "reports.accounts.password_changes.EndsTokens"},
]

LANGUAGE_CODE = "en"
# Languages of the pages, in their own words; Django itself speaks many more, and would answer in half of one.
LANGUAGES = [("en", "English"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "ldpsite.formats"
# The choice made at the foot of a page: the name of a language, and nothing about the person.
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = not LOCAL_HTTP
USE_TZ = True
# A day of reports is a day of UTC, for everybody.
TIME_ZONE = "UTC"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "reports.web.api.authentication.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "reports.web.api.problem_details.problem_exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    # `format` is a parameter that no address has, as any other.
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Histograms of locally differentially private reports",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["reports.web.api.descriptions.complete"],
}

# --- Files ---

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": DATA_DIR / "files"}},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    # A folder, or whatever storage the JSON names (a bucket, say): {"BACKEND": "…", "OPTIONS": {…}}.
    "shards": with_deadline(
        envjson("LDPSITE_SHARD_STORAGE")
        or {"BACKEND": "reports.storage.PrivateFolderStorage", "OPTIONS": {"location": DATA_DIR / "shards"}},
        envint("LDPSITE_BUCKET_SECONDS", 20),
    ),
}

# Where an upload waits while it is checked.
LDPSITE_SPOOL_DIR = DATA_DIR / "spool"
LDPSITE_MAX_RECEIVED_BYTES = envint("LDPSITE_MAX_RECEIVED_BYTES", 1 << 30)
LDPSITE_MAX_DECOMPRESSED_BYTES = envint("LDPSITE_MAX_DECOMPRESSED_BYTES", 4 << 30)
# Bodies up to this size are waited for without a thread. The web server, which reads no settings, has it as well.
LDPSITE_SMALL_BODY_BYTES = SMALL_BODY_BYTES
# Processor seconds of an upload, beside those in proportion to the reports stored of it.
LDPSITE_UPLOAD_CPU_SECONDS = envint("LDPSITE_UPLOAD_CPU_SECONDS", 10)
# A web process has 8 threads; so many of them check uploads, and the others are there for pages.
LDPSITE_UPLOADS_AT_ONCE = envint("LDPSITE_UPLOADS_AT_ONCE", 4)
# The document of one device, and how many of such a process takes in a second, from all senders; 0 for any number.
LDPSITE_MAX_DEVICE_BYTES = envint("LDPSITE_MAX_DEVICE_BYTES", 256 << 10)
LDPSITE_DEVICE_DOCUMENTS_PER_SECOND = envint("LDPSITE_DEVICE_DOCUMENTS_PER_SECOND", 1000)

# Addresses of buckets and folders: s3://bucket/…/ or /folder/.
_PLACE = re.compile(r"(s3://[\w.-]+)?/(.+/)?")
# Where reports lie that are read by themselves: a bucket's address or a folder's, and for which use cases they may be
# (for every one if none is named), as JSON: {"s3://lake/emoji/": ["keyboard-emoji"]}.
LDPSITE_REPORT_SOURCES: Any = envjson("LDPSITE_REPORT_SOURCES") or {}
if not isinstance(LDPSITE_REPORT_SOURCES, dict) or not all(
    _PLACE.fullmatch(address) and isinstance(slugs, list) for address, slugs in LDPSITE_REPORT_SOURCES.items()
):
    raise ImproperlyConfigured("LDPSITE_REPORT_SOURCES must name use cases by address: s3://bucket/…/ or /folder/.")
# Objects at both would be taken by either, also for use cases that only one of them is for.
_sources = [each if each.startswith("s3://") else f"{Path(each).resolve()}/" for each in LDPSITE_REPORT_SOURCES]
if any(one.startswith(other) for one, other in permutations(_sources, 2)):
    raise ImproperlyConfigured("LDPSITE_REPORT_SOURCES: no address may be within another.")

# Where all published results are written once a day: a bucket's address or a folder's.
LDPSITE_EXPORT_TO = env("LDPSITE_EXPORT_TO")
if LDPSITE_EXPORT_TO and not _PLACE.fullmatch(LDPSITE_EXPORT_TO):
    raise ImproperlyConfigured("LDPSITE_EXPORT_TO must be s3://bucket/…/ or /folder/, with a slash at its end.")

# Where the trusted processes of training answer: unix:/path/of/a/socket, or https://… of a proxy before that of another
# machine. Without them no real devices can train.
LDPSITE_TRAINING_AGGREGATOR = env("LDPSITE_TRAINING_AGGREGATOR")
LDPSITE_TRAINING_DISTRIBUTOR = env("LDPSITE_TRAINING_DISTRIBUTOR")
# Where `manage.py run` starts them, so that commands beside it find them.
LDPSITE_TRAINING_DIR = DATA_DIR / "training"
if not LDPSITE_TRAINING_AGGREGATOR and (LDPSITE_TRAINING_DIR / "aggregator.socket").exists():
    LDPSITE_TRAINING_AGGREGATOR = f"unix:{LDPSITE_TRAINING_DIR / 'aggregator.socket'}"
    LDPSITE_TRAINING_DISTRIBUTOR = f"unix:{LDPSITE_TRAINING_DIR / 'distributor.socket'}"
if bool(LDPSITE_TRAINING_AGGREGATOR) != bool(LDPSITE_TRAINING_DISTRIBUTOR):
    raise ImproperlyConfigured("LDPSITE_TRAINING_AGGREGATOR and LDPSITE_TRAINING_DISTRIBUTOR are set together.")
for _address in filter(None, (LDPSITE_TRAINING_AGGREGATOR, LDPSITE_TRAINING_DISTRIBUTOR)):
    if not re.match(r"unix:/|https://[\w.]", _address):
        raise ImproperlyConfigured("The address of a trusted process of training begins with unix:/ or https://")
# Names the function that says how `manage.py run` starts them.
LDPSITE_TRUSTED_PROGRAMS = "reports.training.trusted_processes.programs"

# So many days it is kept who looked at which results.
LDPSITE_VIEWING_DAYS = envint("LDPSITE_VIEWING_DAYS", 365)

# --- What leaves the site by itself, or is shown elsewhere: nothing, until these say where ---

# How messages name this site.
_NAME = ALLOWED_HOSTS[0].lstrip(".") if ALLOWED_HOSTS else "localhost"
LDPSITE_ADDRESS = env("LDPSITE_ADDRESS").rstrip("/") or f"http{'' if LOCAL_HTTP else 's'}://{_NAME}"

EMAIL_HOST = env("LDPSITE_EMAIL_HOST")
EMAIL_PORT = envint("LDPSITE_EMAIL_PORT", 587)
EMAIL_HOST_USER = env("LDPSITE_EMAIL_USER")
EMAIL_HOST_PASSWORD = env("LDPSITE_EMAIL_PASSWORD")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env("LDPSITE_EMAIL_FROM") or f"ldpsite@{_NAME}"
_EMAIL_SECURITY = env("LDPSITE_EMAIL_SECURITY", "starttls")
if _EMAIL_SECURITY not in {"starttls", "tls", "none"}:
    raise ImproperlyConfigured("LDPSITE_EMAIL_SECURITY must be starttls, tls or none.")
EMAIL_USE_TLS, EMAIL_USE_SSL = _EMAIL_SECURITY == "starttls", _EMAIL_SECURITY == "tls"
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'dummy'}.EmailBackend"

# Who is told by mail when a run fails, a worker host is missed or a disk is nearly full.
LDPSITE_OPERATOR_EMAIL = envlist("LDPSITE_OPERATOR_EMAIL")

# Hosts that a webhook may be on, by HTTPS: example.org or example.org:8443. Plain HTTP only to http://HOST:PORT.
LDPSITE_WEBHOOK_HOSTS = envlist("LDPSITE_WEBHOOK_HOSTS")

# Sites that may show an embedded page in a frame: https://wiki.example.org or https://*.example.org.
LDPSITE_EMBED_ORIGINS = envlist("LDPSITE_EMBED_ORIGINS")
if not all(re.fullmatch(r"https?://(\*\.)?[\w.-]+(:\d+)?", origin) for origin in LDPSITE_EMBED_ORIGINS):
    # They stand in a header, where anything else would mean something else.
    raise ImproperlyConfigured("LDPSITE_EMBED_ORIGINS must list origins, such as https://wiki.example.org.")

# --- Workers ---

# Tells whether the queue is a schema of the database above, which `migrate` then keeps in shape.
CELERY_BROKER_URL = env("CELERY_BROKER_URL") or broker.IN_DATABASE
BROKER_IN_DATABASE = CELERY_BROKER_URL == broker.IN_DATABASE
CELERY_BROKER_TRANSPORT_OPTIONS = broker.transport_options(CELERY_BROKER_URL, DATABASES["default"])
CELERY_BROKER_HEARTBEAT = 20
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A request that rings the doorbell shall not wait for a dead broker: the sweep finds the work anyway.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}
CELERY_TASK_DEFAULT_QUEUE = env("LDPSITE_QUEUE", "ldpsite")
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
# Results are rows, written by the task itself.
CELERY_TASK_IGNORE_RESULT = True
# A task waits for a free process, not in a busy worker: the one that calls another worker to a job most of all.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = not broker.is_polled(CELERY_BROKER_URL)
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
# Each is void once the next is due, so that none pile up while no worker runs.
_PERIODS = {
    "take up stale parts": ("reports.jobs.sweep", 10),
    "count finished days": ("reports.runs.start_runs_of_finished_days", 600),
    "look for reports in buckets": ("reports.bulk.look_everywhere", 600),
    "write results out": ("reports.bulk.export_daily", 3600),
    "mix records of devices": ("reports.mix_device_records", 600),
    "seal finished days": ("reports.seal_finished_days", 600),
    "propose lists": ("reports.product_lists.propose", 3600),
    "deliver news": ("reports.notifications.sweep", 300),
    "alert operators": ("reports.operations.alert_operators", 300),
    "delete expired reports": ("reports.delete_expired", 3600),
    "forget what simulated devices held": ("reports.training.forget_old_devices", 3600),
    "forget old traces": ("reports.forget_old_traces", 3600),
}
CELERY_BEAT_SCHEDULE = {
    name: {"task": task, "schedule": float(seconds), "options": {"expires": seconds}}
    for name, (task, seconds) in _PERIODS.items()
}

# --- Logs: what happened, never who asked or what was sent. No logger here writes a client's address, its user agent
# or a body, and there is no access log. ---

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "ldpsite.logs.JsonFormatter"},
    },
    "filters": {"routes_only": {"()": "ldpsite.logs.RoutesOnly"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["routes_only"],
            "formatter": "json" if envbool("LDPSITE_JSON_LOGS") else "text",
        },
    },
    "root": {"handlers": ["console"], "level": env("LDPSITE_LOG_LEVEL", "INFO")},
    "loggers": {
        # Django's own handlers would mail a failed request to the administrators, with its headers and its sender.
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
        # They would write down what proves a login, at LDPSITE_LOG_LEVEL=DEBUG.
        "authlib": {"level": "WARNING"},
        "urllib3": {"level": "WARNING"},
        # Or what is stored in a bucket, and who may.
        "botocore": {"level": "WARNING"},
        # Two lines per task otherwise.
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "celery.beat": {"level": "WARNING"},
    },
}
