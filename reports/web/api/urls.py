"""Addresses of the API."""

from django.urls import path, re_path

from reports.web.api import (
    batches,
    comparisons,
    device_configuration,
    device_reports,
    histogram,
    problem_details,
    schema,
    trends,
)

urlpatterns = [
    path("device-configuration/", device_configuration.device_configuration, name="api_device_configuration"),
    path("reports/", device_reports.Reports.as_view(), name="api_reports"),
    path("batches/", batches.upload, name="api_upload"),
    path("batches/<uuid:batch_id>/", batches.batch, name="api_batch"),
    path("use-cases/<slug:slug>/histogram/", histogram.histogram, name="api_histogram"),
    path("use-cases/<slug:slug>/comparison/", comparisons.comparison, name="api_comparison"),
    path("use-cases/<slug:slug>/trend/", trends.trend, name="api_trend"),
    path("schema/", schema.schema, name="api_schema"),
    # The rest, so that a wrong address is answered in the API's own way, and no POST redirected to a GET.
    re_path("", problem_details.nowhere),
]
