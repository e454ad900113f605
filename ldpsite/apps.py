from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.db.models.signals import post_migrate


class SiteConfig(AppConfig):
    name = "ldpsite"
    verbose_name = "Site"

    def ready(self) -> None:
        from ldpsite.queue_schema import keep_queue_schema

        # Not a migration: which broker is used may change later, and the schema belongs to the package, not to us.
        post_migrate.connect(keep_queue_schema, sender=self)


class StaffConfig(admin_apps.AdminConfig):
    """Django's admin, with a site of our own."""

    default = False
    default_site = "reports.admin_site.Site"
