"""The application: use cases, batches, runs and histograms."""

from django.apps import AppConfig
from django.core import checks
from django.utils.translation import gettext_lazy as _


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = _("Reports")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from reports.operations.storage_checks import check_storage

        checks.register(check_storage, "storage", deploy=True)
