"""The form for being told of news."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from reports.models import Subscription, UseCase
from reports.notifications import is_allowed, mail_is_set_up, newest_days, webhooks_are_set_up
from reports.results import default_version
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import UNDIVIDED, locale_label

KINDS = ("new_words", "new_in_top", "significant_change")


@dataclass(frozen=True)
class Ways:
    """How this site can tell somebody of news."""

    mail_is_set_up: bool
    webhooks_are_set_up: bool
    # Of who is told; empty if the account has none.
    address: str

    @property
    def by_mail(self) -> bool:
        return self.mail_is_set_up and bool(self.address)

    @property
    def any(self) -> bool:
        return self.by_mail or self.webhooks_are_set_up


def ways_to(owner: User) -> Ways:
    return Ways(mail_is_set_up(), webhooks_are_set_up(), owner.email)


class SubscriptionForm(forms.ModelForm):  # type: ignore[type-arg]
    """What somebody wants to be told of a use case, and by which way: only ways that the site has are offered."""

    locale = forms.ChoiceField(label=gettext_lazy("Locale"), required=False)
    channel = forms.ChoiceField(label=gettext_lazy("How"), widget=forms.RadioSelect)
    webhook_url = forms.URLField(
        label=gettext_lazy("Address of the webhook"), required=False, max_length=500, assume_scheme="https"
    )

    class Meta:
        model = Subscription
        fields = ["locale", *KINDS, "channel", "webhook_url"]

    def __init__(self, owner: User, use_case: UseCase, data: Any = None) -> None:
        super().__init__(data, auto_id="news-%s", instance=Subscription(owner=owner, use_case=use_case))
        version = default_version(use_case)
        locales = version.locales if version is not None else []
        self.kind = page_kind(version)
        self.fields["locale"].choices = [  # type: ignore[attr-defined]
            ("", _("All locales")),
            *((code, locale_label(code)) for code in locales if code != UNDIVIDED),
        ]
        if self.kind.counts_dictionary:
            del self.fields["new_words"]
        self.ways = ways_to(owner)
        channels = []
        if self.ways.by_mail:
            channels.append((Subscription.Channel.EMAIL, _("E-mail to %(address)s") % {"address": owner.email}))
        if self.ways.webhooks_are_set_up:
            channels.append((Subscription.Channel.WEBHOOK, _("Webhook: a program of yours")))
        self.fields["channel"].choices = channels  # type: ignore[attr-defined]
        if channels:
            self.initial["channel"] = channels[0][0]
        if not self.ways.webhooks_are_set_up:
            del self.fields["webhook_url"]

    @property
    def kinds(self) -> list[forms.BoundField]:
        return [self[name] for name in KINDS if name in self.fields]

    @property
    def locales(self) -> bool:
        """Whether there is more than one to choose from."""
        return len(self.fields["locale"].choices) > 2  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if not any(found.get(kind) for kind in KINDS):
            self.add_error(None, _("Choose at least one kind of news."))
        if found.get("channel") == Subscription.Channel.WEBHOOK:
            self._check_webhook(found.get("webhook_url", ""))
        else:
            found["webhook_url"] = ""
        same = {name: found.get(name, "") for name in ("locale", "channel", "webhook_url")}
        if not self.errors and self.instance.owner.subscriptions.filter(**same, use_case=self.instance.use_case):
            self.add_error(None, _("You are already told about this in the same way. End that subscription first."))
        return found

    def _check_webhook(self, address: str) -> None:
        if "webhook_url" in self.errors:
            return
        if not address:
            self.add_error("webhook_url", _("Enter the address that the news is to be sent to."))
        elif not is_allowed(address):
            self.add_error(
                "webhook_url",
                _(
                    "Webhooks may only go to hosts that the operator of this site has allowed, by https. This is none"
                    " of them."
                ),
            )

    def save(self, commit: bool = True) -> Subscription:
        # What is published so far is not news.
        self.instance.told = newest_days(self.instance.use_case)
        self.instance.language = get_language() or ""
        saved: Subscription = super().save(commit)
        return saved
