"""Addresses of the pages, and below `api/v1/` those of the API."""

from django.contrib.auth import views as auth
from django.urls import include, path

from reports.pages import (
    dictionaries,
    exports,
    health,
    home,
    login,
    privacy,
    quarantine,
    runs,
    sorting,
    uploads,
    use_cases,
    viewings,
    what_leaves,
)

urlpatterns = [
    # First, because devices call it all day.
    path("api/v1/", include("reports.api.urls")),
    path("", home.home, name="home"),
    path("use-cases/<slug:slug>/", use_cases.use_case, name="use_case"),
    path("use-cases/<slug:slug>/histogram.csv", exports.use_case_file, {"form": "csv"}, name="use_case_csv"),
    path("use-cases/<slug:slug>/histogram.json", exports.use_case_file, {"form": "json"}, name="use_case_json"),
    path("use-cases/<slug:slug>/privacy/", privacy.use_case_privacy, name="use_case_privacy"),
    path("use-cases/<slug:slug>/privacy.json", privacy.use_case_privacy_file, name="use_case_privacy_json"),
    path("privacy/", privacy.privacy, name="privacy"),
    path("privacy.json", privacy.privacy_file, name="privacy_json"),
    path("use-cases/<slug:slug>/sort/", sorting.sort_words, name="sort_words"),
    path("use-cases/<slug:slug>/dictionaries/", dictionaries.dictionaries, name="named_dictionaries"),
    path("use-cases/<slug:slug>/dictionaries/<slug:name>.txt", dictionaries.word_list, name="word_list"),
    path(
        "use-cases/<slug:slug>/dictionaries/<slug:name>/<slug:locale>.txt",
        dictionaries.word_list,
        name="word_list_of_locale",
    ),
    path("use-cases/<slug:slug>/quarantine/", quarantine.quarantine, name="quarantine"),
    path("use-cases/<slug:slug>/viewings/", viewings.viewings, name="viewings"),
    path("use-cases/<slug:slug>/runs/", runs.start, name="start_run"),
    path("runs/<uuid:pk>/", runs.run, name="run"),
    path("runs/<uuid:pk>/progress/", runs.progress, name="run_progress"),
    path("runs/<uuid:pk>/retry/", runs.retry_failed, name="retry_run"),
    path("batches/new/", uploads.upload, name="upload"),
    path("batches/<uuid:pk>/", uploads.batch, name="batch"),
    path("batches/<uuid:pk>/withdraw/", uploads.withdraw_batch, name="withdraw_batch"),
    path("batches/<uuid:pk>/release/", quarantine.release_batch, name="release_batch"),
    path("accounts/login/", login.LoginView.as_view(), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path("what-leaves-your-device/", what_leaves.what_leaves, name="what_leaves"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
