"""One's own account: who one is here, another password, and a new one for whoever forgot theirs."""

from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from reports.accounts.logins import forget_failures
from reports.accounts.reset_form import ResetForm
from reports.accounts.throttled_forms import ThrottledPasswordChangeForm, slowed_down
from reports.notifications import mail_is_set_up


class AccountView(views.PasswordChangeView):
    """Changing the password ends the sessions of all other browsers: Django ties them to it."""

    form_class = ThrottledPasswordChangeForm
    template_name = "reports/account.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form: BaseForm) -> HttpResponse:
        messages.success(self.request, _("Your password is changed. In other browsers you have to log in again."))
        return super().form_valid(form)  # type: ignore[arg-type]

    def form_invalid(self, form: BaseForm) -> HttpResponse:
        return slowed_down(super().form_invalid(form), form)  # type: ignore[arg-type]


class ResetView(views.PasswordResetView):
    """Where no mail is sent, it says who can help."""

    form_class = ResetForm
    template_name = "registration/password_reset_form.html"
    success_url = reverse_lazy("login")

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
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
        # The same words whether there is one or not.
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
        # Whoever tried the old one too often may have had to wait.
        forget_failures(form.user.get_username())
        messages.success(self.request, _("Your password is changed. Log in with the new one."))
        return answer
