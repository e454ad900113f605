"""Addresses of the API."""

from django.urls import path, re_path

from reports.api import batches, histograms, problems

urlpatterns = [
    path("batches/", batches.upload, name="api_upload"),
    path("batches/<uuid:batch_id>/", batches.batch, name="api_batch"),
    path("use-cases/<slug:slug>/histogram/", histograms.histogram, name="api_histogram"),
    # The rest, so that a wrong address is answered in the API's own way, and no POST redirected to a GET.
    re_path("", problems.nowhere),
]
