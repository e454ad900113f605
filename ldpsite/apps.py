from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks
from django.db.models.signals import post_migrate
from django.urls import get_resolver


class SiteConfig(AppConfig):
    default = True
    name = "ldpsite"
    verbose_name = "Site"

    def ready(self) -> None:
        from ldpsite.queue_schema import keep_queue_schema

        # Not a migration: which broker is used may change later, and the schema belongs to the package, not to us.
        post_migrate.connect(keep_queue_schema, sender=self)


class StaffConfig(SimpleAdminConfig):
    """Django's admin, with a site of our own, whose models are registered with its addresses (`ldpsite.urls`).

    Commands and workers, which serve no pages, then start without them.
    """

    default_site = "reports.web.admin_site.Site"

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_admin, checks.Tags.admin)


def check_admin(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    """Check what is registered in the admin, once it is."""
    _ = get_resolver().url_patterns
    return check_admin_app(app_configs, **options)
