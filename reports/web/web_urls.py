"""Addresses of the pages, and below `api/v1/` those of the API."""

from collections.abc import Callable, Iterator
from typing import Any

from django.http.response import HttpResponseBase
from django.urls import URLPattern, include, path

from reports.web.api.api_page import api_page
from reports.web.client_wheel import client_wheel
from reports.web.pages import (
    account,
    annotations,
    exports,
    health,
    imports_page,
    languages,
    login,
    metrics,
    preferences_page,
    privacy_page,
    quarantine_page,
    report_format,
    run_page,
    side_by_side_page,
    single_sign_on,
    tokens_page,
    uploads,
    viewings_page,
)
from reports.web.pages.bookmarks import inbox_page, pins, saved_views, subscription_pages, visits
from reports.web.pages.changes import site_changes_page
from reports.web.pages.changes.changes_page import CHANGES
from reports.web.pages.compare.comparison_page import COMPARISON
from reports.web.pages.element.element_page import ELEMENT, ELEMENT_LOCALES
from reports.web.pages.embed import embedded_links, embedded_page
from reports.web.pages.evaluation import evaluation_page, evaluations_page, regression_page
from reports.web.pages.histogram.histogram_page import HISTOGRAM
from reports.web.pages.home import home_page
from reports.web.pages.locales_together.locales_page import LOCALES
from reports.web.pages.operations import operations_page, size_page
from reports.web.pages.planner import planner_page
from reports.web.pages.product_lists import product_list_pages
from reports.web.pages.results_page import ResultsPage
from reports.web.pages.search import search_page
from reports.web.pages.set_up import answers_step, begin_page, people_step, plan_step, question_step, review_step
from reports.web.pages.training import (
    order_page,
    recommended_page,
    task_page,
    tasks_page,
    training_files,
    training_privacy,
    training_progress,
)
from reports.web.pages.trend.trend_page import TREND
from reports.web.pages.what_leaves import what_leaves_page
from reports.web.pages.words import counting, named_dictionaries, sorting


def _files(address: str, view: Callable[..., HttpResponseBase], name: str) -> Iterator[URLPattern]:
    """Addresses of a page's files, in all forms."""
    for form in exports.FORMS.values():
        yield path(f"{address}.{form}", exports.as_file(view), {"form": form}, f"{name}_{form}")


def _results(address: str, files: str, page: ResultsPage[Any, Any]) -> Iterator[URLPattern]:
    """Addresses of a page of results and of its files."""
    yield path(address, page.show, name=page.page)
    yield from _files(files, page.file, page.files)


_USE_CASE = [
    *_results("", "histogram", HISTOGRAM),
    *_results("compare/", "comparison", COMPARISON),
    path("side-by-side/", side_by_side_page.side_by_side, name="side_by_side"),
    *_results("trend/", "trend", TREND),
    *_results("changes/", "changes", CHANGES),
    *_results("all-locales/", "all-locales", LOCALES),
    *_results("elements/", "elements-by-locale", ELEMENT_LOCALES),
    *_files("elements", ELEMENT.file, "element"),
    path("annotations/", annotations.annotations, name="annotations"),
    path("annotations/<int:pk>/delete/", annotations.delete_annotation, name="delete_annotation"),
    path("privacy/", privacy_page.use_case_privacy, name="use_case_privacy"),
    path("privacy.json", privacy_page.use_case_privacy_file, name="use_case_privacy_json"),
    path("sort/", sorting.sort_words, name="sort_words"),
    path("dictionaries/", named_dictionaries.dictionaries, name="named_dictionaries"),
    path("dictionaries/<slug:name>.txt", named_dictionaries.word_list, name="word_list"),
    path("dictionaries/<slug:name>/<slug:locale>.txt", named_dictionaries.word_list, name="word_list_of_locale"),
    path("dictionaries/<slug:name>/count/", counting.count_words, name="count_words"),
    path("lists/", product_list_pages.product_lists, name="product_lists"),
    path("lists/<slug:name>/", product_list_pages.product_list, name="product_list"),
    path("lists/<slug:name>/propose/", product_list_pages.propose_product_list, name="propose_product_list"),
    path("lists/<slug:name>/approve/", product_list_pages.approve_product_list, name="approve_product_list"),
    path("lists/<slug:name>/delete/", product_list_pages.delete_product_list, name="delete_product_list"),
    path("quarantine/", quarantine_page.quarantine, name="quarantine"),
    path("viewings/", viewings_page.viewings, name="viewings"),
    path("runs/", run_page.start, name="start_run"),
    path("embed/", embedded_page.embed_link, name="embed_link"),
    path("embed-links/", embedded_links.embed_links, name="embed_links"),
    path("embed-links/<uuid:pk>/revoke/", embedded_links.revoke_embed_link, name="revoke_embed_link"),
]

_SET_UP = [
    path("", question_step.set_up, name="set_up"),
    path("<slug:slug>/question/", question_step.question, name="set_up_question"),
    path("<slug:slug>/answers/", answers_step.answers, name="set_up_answers"),
    path("<slug:slug>/precision/", plan_step.plan, name="set_up_plan"),
    path("<slug:slug>/people/", people_step.people, name="set_up_people"),
    path("<slug:slug>/review/", review_step.review, name="set_up_review"),
    path("<slug:slug>/", begin_page.begin, name="set_up_begin"),
    path("<slug:slug>/simulate/", begin_page.simulate, name="simulate"),
    path("<slug:slug>/simulation/", begin_page.simulation, name="simulation"),
    path("<slug:slug>/simulation/progress/", begin_page.simulation, {"live": True}, "simulation_progress"),
    path("<slug:slug>/simulation/remove/", begin_page.remove, name="remove_simulation"),
]

_EVALUATIONS = [
    path("", evaluations_page.all_evaluations, name="evaluations"),
    path("regression/", regression_page.regression, name="regression"),
    *_files("regression", regression_page.regression_file, "regression"),
    path("<uuid:pk>/", evaluation_page.evaluation, name="evaluation"),
    path("<uuid:pk>/progress/", evaluation_page.progress, name="evaluation_progress"),
    path("<uuid:pk>/cancel/", evaluation_page.cancel, name="cancel_evaluation"),
    path("<uuid:pk>/retry/", evaluation_page.retry_evaluation, name="retry_evaluation"),
    path("<uuid:pk>/share/", evaluation_page.share, name="share_evaluation"),
    path("<uuid:pk>/delete/", evaluation_page.delete, name="delete_evaluation"),
    *_files("<uuid:pk>/ranks", evaluation_page.evaluation_file, "evaluation"),
    *_files("<uuid:pk>/cells", evaluation_page.cells_file, "evaluation_cells"),
]

_TRAINING = [
    path("", tasks_page.all_tasks, name="training_tasks"),
    path("<slug:slug>/", task_page.task, name="training_task"),
    path("<slug:slug>/viewings/", viewings_page.training_viewings, name="training_viewings"),
    path("<slug:slug>/order/", order_page.order, name="order_training"),
    path("<slug:slug>/progress/", training_progress.progress, name="training_progress"),
    path("<slug:slug>/privacy/", training_privacy.training_privacy, name="training_privacy"),
    path("<slug:slug>/privacy.json", training_privacy.training_privacy_file, name="training_privacy_json"),
    path("<slug:slug>/recommended/", recommended_page.recommended, name="recommended"),
    *_files("<slug:slug>/runs", training_files.runs_file, "training_runs"),
]

_ACCOUNTS = [
    path("login/", login.LoginView.as_view(), name="login"),
    path("logout/", login.LogoutView.as_view(), name="logout"),
    path("", account.AccountView.as_view(), name="account"),
    path("single-sign-on/", single_sign_on.begin, name="oidc_begin"),
    path("single-sign-on/answer/", single_sign_on.callback, name="oidc_callback"),
    path("logged-out/", single_sign_on.signed_out, name="signed_out"),
    path("sessions/end/", account.end_sessions, name="end_sessions"),
    path("address/", account.change_address, name="change_address"),
    path("address/<str:key>/", account.confirm_address, name="confirm_address"),
    path("settings/", preferences_page.preferences, name="preferences"),
    path("tokens/", tokens_page.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens_page.revoke_token, name="revoke_token"),
    path("theme/", preferences_page.choose_theme, name="choose_theme"),
    path("reset/", account.ResetView.as_view(), name="password_reset"),
    path("reset/<uidb64>/<token>/", account.NewPasswordView.as_view(), name="password_reset_confirm"),
]

urlpatterns = [
    # First, because devices call it all day.
    path("api/v1/", include("reports.web.api.api_urls")),
    path("api/", api_page, name="api_page"),
    path("clients/<str:name>", client_wheel, name="client_wheel"),
    path("", home_page.home, name="home"),
    path("use-cases/<slug:slug>/", include(_USE_CASE)),
    path("changes/", site_changes_page.changes_of_site, name="site_changes"),
    *_files("changes", site_changes_page.site_changes_file, "site_changes"),
    path("privacy/", privacy_page.privacy, name="privacy"),
    path("privacy.json", privacy_page.privacy_file, name="privacy_json"),
    path("runs/<uuid:pk>/", run_page.run, name="run"),
    path("runs/<uuid:pk>/progress/", run_page.progress, name="run_progress"),
    path("runs/<uuid:pk>/retry/", run_page.retry_failed, name="retry_run"),
    path("search/", search_page.search, name="search"),
    path("search.json", search_page.search_json, name="search_json"),
    path("pins/", pins.change_pins, name="change_pins"),
    path("visits/forget/", visits.forget, name="forget_visits"),
    path("views/", saved_views.saved_views, name="saved_views"),
    path("views/<int:pk>/", saved_views.saved_view, name="saved_view"),
    path("views/<int:pk>/delete/", saved_views.delete_saved_view, name="delete_saved_view"),
    path("inbox/", inbox_page.inbox, name="inbox"),
    path("inbox/read/", inbox_page.read_inbox, name="read_inbox"),
    path("inbox/<int:pk>/", inbox_page.inbox_message, name="inbox_message"),
    path("subscriptions/", subscription_pages.subscriptions, name="subscriptions"),
    path("subscriptions/<uuid:pk>/end/", subscription_pages.end_subscription, name="end_subscription"),
    path("subscriptions/<uuid:pk>/resume/", subscription_pages.resume_subscription, name="resume_subscription"),
    path("embed/<str:token>/", embedded_page.embed, name="embed"),
    path("embed/<str:token>/preview.png", embedded_page.embed_preview, name="embed_preview"),
    path("planner/", planner_page.planner, name="planner"),
    path("planner.json", planner_page.planner_file, name="planner_json"),
    path("set-up/", include(_SET_UP)),
    path("evaluations/", include(_EVALUATIONS)),
    path("training/", include(_TRAINING)),
    *_files("training-runs/<uuid:pk>/rounds", training_files.rounds_file, "training_rounds"),
    *_files("training-runs/<uuid:pk>/releases", training_files.releases_file, "training_releases"),
    path("training-runs/<uuid:pk>/model.npz", training_files.model, name="training_model"),
    path("training-runs/<uuid:pk>/model-card.md", training_files.card, name="training_card"),
    path("training-runs/<uuid:pk>/cancel/", training_progress.cancel, name="cancel_training"),
    path("training-runs/<uuid:pk>/retry/", training_progress.retry, name="retry_training"),
    path("operations/", operations_page.operations, name="operations"),
    path("operations/size/", size_page.size, name="size"),
    path("imports/", imports_page.all_imports, name="imports"),
    path("report-format/", report_format.report_format, name="report_format"),
    path("report-format.md", report_format.report_format_text, name="report_format_text"),
    path("batches/new/", uploads.upload, name="upload"),
    path("batches/<uuid:pk>/", uploads.batch, name="batch"),
    path("batches/<uuid:pk>/withdraw/", uploads.withdraw_batch, name="withdraw_batch"),
    path("batches/<uuid:pk>/release/", quarantine_page.release_batch, name="release_batch"),
    path("accounts/", include(_ACCOUNTS)),
    path("what-leaves-your-device/", what_leaves_page.what_leaves, name="what_leaves"),
    path("language/", languages.choose_language, name="choose_language"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics.metrics, name="metrics"),
]
