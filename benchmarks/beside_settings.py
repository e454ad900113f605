"""The settings of the site, with an empty view beside its own."""

from ldpsite.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.beside_urls"
# Speed is measured, not how it is held back.
LDPSITE_DEVICE_DOCUMENTS_PER_SECOND = 0
