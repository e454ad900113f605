"""Being told of news: one's own subscriptions, and new ones."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from reports import access
from reports.models import Subscription, UseCase
from reports.notifications import IN_WORDS, secret_of
from reports.results import HistogramQuery, histogram_view
from reports.viewings import record_viewing
from reports.web.pages.bookmarks.subscription_form import KINDS, ChannelForm, SubscriptionForm, rules_in_words, ways_to
from reports.web.pages.locales import locale_name
from reports.web.pages.people import person

# Elements that are offered for a rule.
_MOST_SUGGESTED = 50


@require_http_methods(["GET", "HEAD", "POST"])
def subscriptions(request: HttpRequest) -> HttpResponse:
    """One's own; posts make new ones."""
    if request.method == "POST":
        return _subscribe(request)
    if "about" in request.GET:
        about = _about(request, request.GET["about"])
        return _form_page(request, about, _form(request, about))
    seen = list(access.use_cases(person(request), "view").order_by("title"))
    visible: set[int | None] = {use_case.pk for use_case in seen}
    found = access.subscriptions(person(request)).select_related("use_case")
    if access.operates(person(request)):
        visible.add(None)
    lines = [_line(each, each.use_case_id in visible) for each in found]
    choices = [use_case for use_case in seen if use_case.state != UseCase.State.ARCHIVED]
    context = {"lines": lines, "ways": ways_to(person(request)), "choices": choices}
    return render(request, "reports/subscriptions.html", context)


def _about(request: HttpRequest, slug: str) -> UseCase | None:
    """Return the use case of this name; None, for the site's operation, if it is empty and an operator asks."""
    if not slug and access.operates(person(request)):
        return None
    return get_object_or_404(access.use_cases(person(request), "view"), slug=slug)


def _form(request: HttpRequest, about: UseCase | None) -> ChannelForm:
    data = request.POST if request.method == "POST" else None
    if about is None:
        return ChannelForm(person(request), data=data)
    form = SubscriptionForm(person(request), about, data)
    # The kind of news that the page which led here is about.
    if request.GET.get("kind") in KINDS:
        form.initial[request.GET["kind"]] = True
    return form


def _line(subscription: Subscription, visible: bool) -> dict[str, object]:
    """Line about a subscription; nothing about a use case that its owner may not see any more."""
    kinds = [subscription._meta.get_field(kind) for kind in KINDS if getattr(subscription, kind)]
    rules = rules_in_words(subscription) if visible else []
    webhook = subscription.channel == Subscription.Channel.WEBHOOK
    problem = subscription.last_failure if visible else "no_access"
    return {
        "subscription": subscription,
        "visible": visible,
        "locale": locale_name(subscription.locale or "und") if visible and subscription.use_case is not None else "",
        "kinds": [*(str(getattr(kind, "verbose_name", "")) for kind in kinds), *rules],
        "problem": IN_WORDS.get(problem, "") if problem else "",
        "secret": secret_of(subscription.pk) if webhook and visible else "",
    }


def _subscribe(request: HttpRequest) -> HttpResponse:
    about = _about(request, request.POST.get("use_case", ""))
    form = _form(request, about)
    if form.is_valid() and isinstance(form, SubscriptionForm) and "try" in request.POST:
        return _form_page(request, about, form, trial=form.trial())
    if form.is_valid():
        saved = form.save()
        messages.success(request, _("You will be told of news about “%(title)s”.") % {"title": saved.title})
        return redirect("subscriptions")
    return _form_page(request, about, form, status=422)


def _form_page(
    request: HttpRequest, about: UseCase | None, form: ChannelForm, status: int = 200, **more: object
) -> HttpResponse:
    """Offer what is in the newest histogram as the element of a rule. That it is read is recorded as a viewing."""
    context = {"form": form, "use_case": about, **more}
    if about is not None:
        view = histogram_view(about, HistogramQuery(top=_MOST_SUGGESTED))
        if view.rows:
            record_viewing(person(request), about, "page")
        context["rows"] = view.rows
    return render(request, "reports/subscribe.html", context, status=status)


@require_POST
def end_subscription(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    get_object_or_404(access.subscriptions(person(request)), pk=pk).delete()
    messages.success(request, _("The subscription is ended."))
    return redirect("subscriptions")


@require_POST
def resume_subscription(request: HttpRequest, pk: uuid.UUID) -> HttpResponse:
    """Try again, from now on: the next publication, or the next sweep, sends what is new since the last message."""
    found = get_object_or_404(access.subscriptions(person(request)), pk=pk)
    theirs = access.subscriptions(person(request)).filter(pk=found.pk)
    theirs.update(paused=False, failures=0, next_try_at=None)
    messages.success(request, _("The subscription goes on. What was new meanwhile is sent within minutes."))
    return redirect("subscriptions")
