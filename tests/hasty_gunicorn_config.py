"""gunicorn as we configure it, but that a request is waited for a second only."""

from ldpsite import gunicorn_requests
from ldpsite.gunicorn_config import *  # noqa: F403 - a configuration is the names of a module

gunicorn_requests.PATIENCE = 1.0
