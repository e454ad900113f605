"""One's own account: who one is here, where one is logged in, and another password or address."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST
from kombu.exceptions import OperationalError

from reports.accounts import addresses, mails
from reports.accounts.logins import forget_failures
from reports.accounts.reset_form import ResetForm
from reports.accounts.sessions import end, end_others, handle, sessions_of
from reports.accounts.throttled_forms import AddressForm, ThrottledPasswordChangeForm, slowed_down
from reports.notifications import mail_is_set_up
from reports.web.pages.people import person

LISTED = 50
"""Sessions that the page lists, the last used first; all others can be ended together."""


class AccountView(views.PasswordChangeView):
    """Changing the password ends the sessions of all other browsers: Django ties them to it."""

    form_class = ThrottledPasswordChangeForm
    template_name = "reports/account.html"
    success_url = reverse_lazy("account")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        here = self.request.session.session_key
        known = sorted(sessions_of(person(self.request)), key=lambda each: each.pk != here)
        sessions = [
            {"browser": each.browser, "active_at": each.active_at, "handle": handle(each), "is_here": each.pk == here}
            for each in known[:LISTED]
        ]
        return super().get_context_data(**kwargs) | {
            "sessions": sessions,
            "not_listed": len(known) - len(sessions),
            "has_password": person(self.request).has_usable_password() and settings.LDPSITE_PASSWORD_LOGIN,
        }

    def form_valid(self, form: BaseForm) -> HttpResponse:
        response = super().form_valid(form)  # type: ignore[arg-type]
        end_others(person(self.request), self.request.session.session_key)
        messages.success(self.request, _("Your password is changed. In other browsers you have to log in again."))
        return response

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        return slowed_down(super().form_invalid(form), form)  # type: ignore[arg-type]


@method_decorator(login_not_required, name="dispatch")
class ResetView(views.PasswordResetView):
    """Where no mail is sent, it says who can help."""

    form_class = ResetForm
    template_name = "registration/password_reset_form.html"
    success_url = reverse_lazy("login")

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not settings.LDPSITE_PASSWORD_LOGIN:
            raise Http404
        if not mail_is_set_up():
            return render(request, self.template_name)
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: BaseForm) -> HttpResponse:
        try:
            answer = super().form_valid(form)  # type: ignore[arg-type]
        except (OperationalError, OSError):
            form.add_error(None, _("No mail can be sent at the moment. Try again in a few minutes."))
            answer = super().form_invalid(form)  # type: ignore[arg-type]
            answer.status_code = 503
            return answer
        # One text, whether there is such an account or not.
        words = _("If an account has this address, a mail with a link is on its way to it.")
        messages.success(self.request, words)
        return answer

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        return slowed_down(super().form_invalid(form), form)  # type: ignore[arg-type]


class NewPasswordView(views.PasswordResetConfirmView):
    """Behind the link of such a mail."""

    template_name = "registration/password_reset_confirm.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        answer = super().form_valid(form)
        end_others(form.user, None)
        # A person who tried the old one too often may have had to wait.
        forget_failures(form.user.get_username())
        messages.success(self.request, _("Your password is changed. Log in with the new one."))
        return answer


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """End one session of one's own, or all but this one."""
    name = request.POST.get("session", "")
    if name:
        end(person(request), name)
        messages.success(request, _("That browser has to log in again."))
    else:
        ended = end_others(person(request), request.session.session_key)
        words = ngettext(
            "%(ended)s other browser has to log in again.", "%(ended)s other browsers have to log in again.", ended
        )
        messages.success(request, words % {"ended": ended})
    return redirect("account")


@require_http_methods(["GET", "HEAD", "POST"])
def change_address(request: HttpRequest) -> HttpResponse:
    """Take another address: at once where no mail is sent, else when the link of a mail to it is followed."""
    owner = person(request)
    if not owner.has_usable_password() or not settings.LDPSITE_PASSWORD_LOGIN:
        raise Http404
    form = AddressForm(owner, request.POST or None)
    if request.method == "POST" and form.is_valid():
        address = form.cleaned_data["email"]
        try:
            if mail_is_set_up():
                addresses.send_confirmation(owner, address)
                words = _("A mail with a link is on its way to %(address)s. The address counts once you open the link.")
            else:
                addresses.change(owner, address)
                words = _("Your address is changed to %(address)s.")
            messages.success(request, words % {"address": address})
            return redirect("account")
        except mails.NoMail:
            form.add_error(None, _("No mail can be sent at the moment. Try again in a few minutes."))
            return render(request, "registration/address.html", {"form": form}, status=HTTPStatus.SERVICE_UNAVAILABLE)
    return slowed_down(render(request, "registration/address.html", {"form": form}), form)


@require_http_methods(["GET", "HEAD", "POST"])
def confirm_address(request: HttpRequest, key: str) -> HttpResponse:
    """Show which address a mail confirms, and take it by a button: programs that look at links press none."""
    address = addresses.confirmed(person(request), key)
    if request.method == "POST" and address is not None:
        addresses.change(person(request), address)
        messages.success(request, _("Your address is changed to %(address)s.") % {"address": address})
        return redirect("account")
    status = HTTPStatus.OK if address is not None else HTTPStatus.NOT_FOUND
    return render(request, "registration/address_confirm.html", {"address": address}, status=status)
