"""Reasons for failed deliveries, by the short names that are stored, and in words."""

from django.utils.translation import gettext_lazy as _

# Trying again does not mend these: only a person does.
FINAL = frozenset({"inactive", "no_access", "no_address", "mail_not_set_up", "host_not_allowed"})

IN_WORDS = {
    "inactive": _("The account is not active."),
    "no_access": _("You may not see this use case any more."),
    "no_address": _("Your account has no e-mail address."),
    "mail_not_set_up": _("This site is not set up to send e-mail."),
    "mail_refused": _("The mail server did not take the message."),
    "host_not_allowed": _("Webhooks to this address are not allowed on this site any more."),
    "not_reached": _("The server of the webhook could not be reached."),
    "too_slow": _("The server of the webhook did not answer in time."),
    "redirected": _("The server of the webhook answered with a redirect, which is not followed."),
    "refused": _("The server of the webhook did not take the message."),
}


class NotSent(Exception):
    """Sending failed. `left` says whether the message may have left the site all the same."""

    def __init__(self, problem: str, *, left: bool = False) -> None:
        super().__init__(problem)
        self.problem = problem
        self.left = left
