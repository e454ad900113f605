"""The form for being told of news."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from reports.formatting import small_percent
from reports.models import Subscription, UseCase
from reports.notifications import Trial, is_allowed, mail_is_set_up, newest_days, try_out, webhooks_are_set_up
from reports.results import default_version
from reports.results.trend import find_elements
from reports.web.pages.kinds import page_kind
from reports.web.pages.locales import UNDIVIDED, locale_label

KINDS = ("new_words", "new_in_top", "significant_change")
# Rules about one element, and about days without results.
RULES = ("above_percent", "below_percent", "silent_days")


@dataclass(frozen=True)
class Ways:
    """Ways of this site to deliver news to a user."""

    mail_is_set_up: bool
    webhooks_are_set_up: bool
    # Mail address of the user; empty if the account has none.
    address: str

    @property
    def by_mail(self) -> bool:
        return self.mail_is_set_up and bool(self.address)


def ways_to(owner: User) -> Ways:
    return Ways(mail_is_set_up(), webhooks_are_set_up(), owner.email)


class ChannelForm(forms.ModelForm):  # type: ignore[type-arg]
    """Subscription of a user to the site's operation, and the way of delivery: only ways that the site has."""

    channel = forms.ChoiceField(label=gettext_lazy("How"), widget=forms.RadioSelect)
    webhook_url = forms.URLField(
        label=gettext_lazy("Address of the webhook"), required=False, max_length=500, assume_scheme="https"
    )
    # Fields by which two subscriptions have to differ.
    same: tuple[str, ...] = ("channel", "webhook_url")

    class Meta:
        model = Subscription
        fields = ["channel", "webhook_url"]

    def __init__(self, owner: User, use_case: UseCase | None = None, data: Any = None) -> None:
        super().__init__(data, auto_id="news-%s", instance=Subscription(owner=owner, use_case=use_case))
        self.ways = ways_to(owner)
        channels = [(Subscription.Channel.INBOX, _("Inbox of this site"))]
        if self.ways.by_mail:
            channels.append((Subscription.Channel.EMAIL, _("E-mail to %(address)s") % {"address": owner.email}))
        if self.ways.webhooks_are_set_up:
            channels.append((Subscription.Channel.WEBHOOK, _("Webhook: a program of yours")))
        self.fields["channel"].choices = channels  # type: ignore[attr-defined]
        self.initial["channel"] = channels[-1][0] if self.ways.by_mail else channels[0][0]
        if not self.ways.webhooks_are_set_up:
            del self.fields["webhook_url"]

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        if found.get("channel") == Subscription.Channel.WEBHOOK:
            self._check_webhook(found.get("webhook_url", ""))
        else:
            found["webhook_url"] = ""
        same = {name: found.get(name, "") for name in self.same}
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
        self.instance.language = get_language() or ""
        saved: Subscription = super().save(commit)
        return saved


class SubscriptionForm(ChannelForm):
    """Subscription of a user to a use case."""

    same = ("locale", "element", *ChannelForm.same)
    locale = forms.ChoiceField(label=gettext_lazy("Locale"), required=False)
    above_percent = forms.FloatField(
        label=gettext_lazy("Its share comes to be certainly above, in per cent"),
        min_value=0.001,
        max_value=99.9,
        required=False,
    )
    below_percent = forms.FloatField(
        label=gettext_lazy("Its share comes to be certainly below, in per cent"),
        min_value=0.001,
        max_value=99.9,
        required=False,
    )

    class Meta:
        model = Subscription
        fields = ["locale", *KINDS, "element", "silent_days", "channel", "webhook_url"]
        labels = {
            "element": gettext_lazy("One element, as the table writes it"),
            "silent_days": gettext_lazy("A locale has had no results for so many days"),
        }
        widgets = {"element": forms.TextInput(attrs={"list": "news-elements", "autocomplete": "off"})}
        help_texts = {
            "element": gettext_lazy(
                "Significant changes are then told of this element alone. Shares are those of the newest day, or of the"
                " days that are shown together. A share is news when its whole interval is beyond your bound, and was"
                " not before: one that stays at the bound is told once."
            )
        }

    def __init__(self, owner: User, use_case: UseCase, data: Any = None) -> None:
        super().__init__(owner, use_case, data)
        version = default_version(use_case)
        locales = version.locales if version is not None else []
        self.kind = page_kind(version)
        self.fields["locale"].choices = [  # type: ignore[attr-defined]
            ("", _("All locales")),
            *((code, locale_label(code)) for code in locales if code != UNDIVIDED),
        ]
        if self.kind.counts_dictionary:
            del self.fields["new_words"]

    @property
    def kinds(self) -> list[forms.BoundField]:
        return [self[name] for name in KINDS if name in self.fields]

    @property
    def rules(self) -> list[forms.BoundField]:
        return [self[name] for name in ("element", "above_percent", "below_percent", "silent_days")]

    @property
    def locales(self) -> bool:
        """Tell whether there is more than one to choose from."""
        return len(self.fields["locale"].choices) > 2  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if not any(found.get(kind) for kind in (*KINDS, *RULES)):
            self.add_error(None, _("Choose at least one kind of news."))
        of_element = [name for name in ("above_percent", "below_percent") if found.get(name)]
        if of_element and not found.get("element"):
            self.add_error("element", _("Name the element whose share this is about."))
        if found.get("element") and not of_element and not found.get("significant_change"):
            self.add_error("element", _("Say what you want to be told of it: a share, or significant changes."))
        self._check_element(found.get("element", ""))
        for name in ("above", "below"):
            percent = found.get(f"{name}_percent")
            setattr(self.instance, f"{name}_share", percent / 100 if percent else None)
        return found

    def _check_element(self, element: str) -> None:
        """Refuse an element that no report can be about; words may still be found."""
        version = default_version(self.instance.about)
        if element and version is not None and self.kind.counts_dictionary and not find_elements(version, [element]):
            self.add_error("element", _("The dictionary has no such element. Write it as the table does."))

    def save(self, commit: bool = True) -> Subscription:
        # Days published so far are not news.
        self.instance.told = newest_days(self.instance.about)
        return super().save(commit)

    def trial(self) -> Trial:
        """Try the subscription out without saving it."""
        self.instance.language = get_language() or ""
        return try_out(self.instance)


def rules_in_words(subscription: Subscription) -> list[str]:
    """Say what a subscription's rules tell of."""
    found = []
    if subscription.above_share is not None:
        found.append(_("above %(share)s") % {"share": small_percent(subscription.above_share)})
    if subscription.below_share is not None:
        found.append(_("below %(share)s") % {"share": small_percent(subscription.below_share)})
    if subscription.element and found:
        found = [_("%(name)s: %(value)s") % {"name": subscription.element, "value": ", ".join(found)}]
    elif subscription.element:
        found = [_("only of %(element)s") % {"element": subscription.element}]
    if subscription.silent_days is not None:
        days = ngettext("%(days)s day without results", "%(days)s days without results", subscription.silent_days)
        found.append(days % {"days": subscription.silent_days})
    return found
