"""The application: use cases, batches, runs and histograms."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.core import checks
from django.utils.translation import gettext_lazy as _


def check_training(app_configs: Sequence[Any] | None, **options: Any) -> list[checks.CheckMessage]:
    # Training comes with NumPy, and other commands do without.
    from reports.training.trusted_processes import check_trusted_processes

    return check_trusted_processes()


def check_broker(app_configs: Sequence[Any] | None, **options: Any) -> list[checks.CheckMessage]:
    from reports.operations import monitoring

    return monitoring.check_broker(app_configs)


class ReportsConfig(AppConfig):
    name = "reports"
    verbose_name = _("Reports")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from reports.accounts.sessions import begin
        from reports.accounts.single_sign_on.checks import check_single_sign_on
        from reports.operations import check_storage

        user_logged_in.connect(begin, dispatch_uid="reports.accounts.sessions")
        checks.register(check_storage, "storage", deploy=True)
        checks.register(check_broker, "broker", deploy=True)
        checks.register(check_training, "training", deploy=True)
        checks.register(check_single_sign_on, checks.Tags.security, deploy=True)
