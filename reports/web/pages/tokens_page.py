"""API tokens of one's own: made here, shown once, and revoked."""

import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from reports import access
from reports.models import ApiToken
from reports.models.uploads import utc_today
from reports.web.change_history import note
from reports.web.client_wheel import install_command
from reports.web.first_lines import first_lines
from reports.web.pages.people import person
from reports.web.tokens import reach, scope, tokens_of

_LONGEST = 39
_READ = ""


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("What is it for?"),
        max_length=_LONGEST,
        initial=gettext_lazy("notebook"),
        help_text=gettext_lazy("One for each program, so that each can be revoked by itself."),
    )
    may = forms.ChoiceField(label=gettext_lazy("It may"), required=False)
    days = forms.TypedChoiceField(
        label=gettext_lazy("It holds for"),
        coerce=int,
        initial=90,
        choices=[
            (30, gettext_lazy("30 days")),
            (90, gettext_lazy("90 days")),
            (365, gettext_lazy("a year")),
        ],
    )

    def __init__(self, owner: User, data: Any = None) -> None:
        super().__init__(data)
        self._owner = owner
        self._own = {each.slug: each for each in access.use_cases(owner, "upload").order_by("title")}
        self.fields["may"].choices = [  # type: ignore[attr-defined]
            (_READ, _("read all that I may see, as long as I may")),
            *((slug, _("upload reports of %(title)s") % {"title": each.title}) for slug, each in self._own.items()),
        ]

    def clean_name(self) -> str:
        """Put the person before the name: tokens of all people are told apart by it, and viewings show it."""
        name = f"{self._owner.get_username()[:_LONGEST]}: {self.cleaned_data['name']}"
        if ApiToken.objects.filter(name=name).exists():
            raise forms.ValidationError(_("You have had a token of this name. Take another."))
        return name

    def make(self) -> tuple[ApiToken, str]:
        chosen = self._own.get(self.cleaned_data["may"])
        return ApiToken.create(
            self.cleaned_data["name"],
            may_ingest=chosen is not None,
            may_read=chosen is None,
            use_cases=[chosen] if chosen is not None else [],
            person=self._owner,
            expires_on=utc_today() + datetime.timedelta(days=self.cleaned_data["days"]),
        )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """List valid tokens, and make one, whose secret is on this one answer and nowhere else."""
    owner = person(request)
    form = TokenForm(owner, request.POST or None)
    # Before a token is made: a failure afterwards would leave one that was never shown.
    install = install_command(request)
    made, secret = None, ""
    if request.method == "POST" and form.is_valid():
        made, secret = form.make()
        note(request, made, _("Made by %(person)s.") % {"person": owner.get_username()}, added=True)
        form = TokenForm(owner)
    context = {
        "form": form,
        "made": made,
        "secret": secret,
        "lines": first_lines(request, owner, secret) if made is not None and made.may_read else "",
        "days_after_login": access.TOKEN_DAYS_AFTER_LOGIN if owner.identities.exists() else None,
        "install": install,
        "tokens": _lines(owner),
    }
    return render(request, "reports/tokens.html", context, status=422 if form.errors else 200)


def _lines(owner: User) -> list[dict[str, Any]]:
    revocable = {*access.revocable_tokens(owner).values_list("pk", flat=True)}
    valid = tokens_of(owner).filter(revoked=False, expires_on__gt=utc_today())
    return [
        {"token": each, "scope": scope(each), "reach": reach(each), "revocable": each.pk in revocable}
        for each in valid.order_by("-created_on", "-pk")
    ]


@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    token = access.revocable_tokens(person(request)).filter(pk=pk).first()
    if token is None:
        raise Http404
    token.revoked = True
    token.save(update_fields=["revoked"])
    note(request, token, _("Revoked."))
    messages.success(request, _("“%(token)s” is revoked.") % {"token": token})
    return redirect("tokens")
