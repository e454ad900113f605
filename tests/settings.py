"""The project's settings, without what only makes tests slow. The database comes from tests.embedded_database."""

from ldpsite.env import BASE_DIR as BASE_DIR  # noqa: PLC0414 - the star below brings it, but not its type
from ldpsite.settings import *  # noqa: F403
from ldpsite.settings import INSTALLED_APPS, STORAGES

# For a command of its own, how the database is emptied, and a type of jobs of its own.
INSTALLED_APPS = [*INSTALLED_APPS, "tests"]

# No collectstatic before the tests: a manifest would be missing.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# The use case of most tests. Nothing looks there by itself.
LDPSITE_REPORT_SOURCES = {"/srv/rapports/": ["fruits"]}
