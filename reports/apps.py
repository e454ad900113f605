"""The application: use cases, batches, runs and histograms."""

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.core import checks
from django.db.models.signals import pre_migrate
from django.utils.translation import gettext_lazy as _


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = _("Reports")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from reports.accounts.sessions import begin
        from reports.operations import check_storage, refuse_earlier_database

        pre_migrate.connect(refuse_earlier_database, sender=self)
        user_logged_in.connect(begin, dispatch_uid="reports.accounts.sessions")
        checks.register(check_storage, "storage", deploy=True)
