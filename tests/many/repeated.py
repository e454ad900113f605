"""Settings of the site, but that each message to the broker is published as often as MANY_COPIES says."""

import os
from functools import wraps
from typing import Any

import kombu

from ldpsite.settings import *  # noqa: F403
from ldpsite.settings import STORAGES

# No collectstatic before.
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}

_publish = kombu.Producer.publish


@wraps(_publish)
def _publish_repeatedly(*arguments: Any, **options: Any) -> Any:
    for _copy in range(int(os.environ["MANY_COPIES"])):
        answer = _publish(*arguments, **options)
    return answer


kombu.Producer.publish = _publish_repeatedly  # type: ignore[method-assign]
