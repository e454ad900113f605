from django.apps import AppConfig
from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules


class SiteConfig(AppConfig):
    default = True
    name = "ldpsite"
    verbose_name = "Site"

    def ready(self) -> None:
        from ldpsite.queue_schema import keep_queue_schema

        # Not a migration: which broker is used may change later, and the schema belongs to the package, not to us.
        post_migrate.connect(keep_queue_schema, sender=self)


class StaffConfig(SimpleAdminConfig):
    """Django's admin, with a site of our own, whose models are registered where the other pages are."""

    default_site = "reports.web.admin_site.Site"

    def ready(self) -> None:
        super().ready()
        autodiscover_modules("admin", "web.admin", register_to=admin.site)
