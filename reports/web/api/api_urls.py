"""Addresses of the API."""

from django.urls import path, re_path

from reports.web.api.api_schema import schema
from reports.web.api.batches import batch, upload
from reports.web.api.device_configuration import device_configuration
from reports.web.api.device_reports import Reports
from reports.web.api.lists import locales, use_cases, versions, windows
from reports.web.api.problem_details import nowhere
from reports.web.api.product_lists import product_list, product_lists
from reports.web.api.shown_results import all_locales, changes, comparison, histogram, site_changes, trend
from reports.web.api.training_reads import (
    training_card,
    training_ledger,
    training_run,
    training_runs,
    training_statement,
    training_task,
    training_tasks,
)
from reports.web.api.training_rounds import Contributions, Rows, open_rounds

urlpatterns = [
    path("device-configuration/", device_configuration, name="api_device_configuration"),
    path("reports/", Reports.as_view(), name="api_reports"),
    path("training-tasks/<slug:slug>/open-rounds/", open_rounds, name="api_open_rounds"),
    path("training-tasks/<slug:slug>/rows/", Rows.as_view(), name="api_training_rows"),
    path("training-tasks/<slug:slug>/contributions/", Contributions.as_view(), name="api_contributions"),
    path("batches/", upload, name="api_upload"),
    path("batches/<uuid:batch_id>/", batch, name="api_batch"),
    path("use-cases/", use_cases, name="api_use_cases"),
    path("use-cases/<slug:slug>/versions/", versions, name="api_versions"),
    path("use-cases/<slug:slug>/locales/", locales, name="api_locales"),
    path("use-cases/<slug:slug>/windows/", windows, name="api_windows"),
    path("use-cases/<slug:slug>/lists/", product_lists, name="api_product_lists"),
    path("use-cases/<slug:slug>/lists/<slug:name>/", product_list, name="api_product_list"),
    path("use-cases/<slug:slug>/histogram/", histogram, name="api_histogram"),
    path("use-cases/<slug:slug>/comparison/", comparison, name="api_comparison"),
    path("use-cases/<slug:slug>/trend/", trend, name="api_trend"),
    path("use-cases/<slug:slug>/changes/", changes, name="api_changes"),
    path("changes/", site_changes, name="api_site_changes"),
    path("use-cases/<slug:slug>/all-locales/", all_locales, name="api_all_locales"),
    path("training-tasks/", training_tasks, name="api_training_tasks"),
    path("training-tasks/<slug:slug>/", training_task, name="api_training_task"),
    path("training-tasks/<slug:slug>/runs/", training_runs, name="api_training_runs"),
    path("training-tasks/<slug:slug>/statement/", training_statement, name="api_training_statement"),
    path("training-tasks/<slug:slug>/ledger/", training_ledger, name="api_training_ledger"),
    path("training-runs/<uuid:pk>/", training_run, name="api_training_run"),
    path("training-runs/<uuid:pk>/card/", training_card, name="api_training_card"),
    path("schema/", schema, name="api_schema"),
    # The rest, so that a wrong address is answered in the API's own way, and no POST redirected to a GET.
    re_path("", nowhere),
]
