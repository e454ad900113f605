"""The inbox: news of the subscriptions that are told there."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from reports.notifications import inbox_of, text_of
from reports.viewings import record_viewing
from reports.web.pages.people import person

PAGE_SIZE = 50


@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """The messages, the newest first: what each is about, and nothing of results."""
    messages = inbox_of(person(request)).select_related("subscription__use_case")
    page = Paginator(messages, PAGE_SIZE).get_page(request.GET.get("page"))
    return render(request, "reports/inbox.html", {"page": page})


@require_safe
def inbox_message(request: HttpRequest, pk: int) -> HttpResponse:
    """A message, written by what is published now; who opens one about a use case looks at results."""
    found = get_object_or_404(inbox_of(person(request)).select_related("subscription__use_case"), pk=pk)
    text = text_of(found)
    if not found.is_read:
        found.is_read = True
        found.save(update_fields=["is_read"])
    if found.subscription.use_case is not None:
        record_viewing(person(request), found.subscription.use_case, "page")
    return render(request, "reports/inbox_message.html", {"message_shown": found, "text": text})


@require_POST
def read_inbox(request: HttpRequest) -> HttpResponse:
    """Mark all as read."""
    inbox_of(person(request)).filter(is_read=False).update(is_read=True)
    return redirect("inbox")
