"""News about the site's operation: troubles, each told once, and again if it comes back."""

import json
from collections.abc import Mapping

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.models import Subscription
from reports.notifications.messages import Mail, identifier, site_address
from reports.notifications.troubles import troubles_of


def undelivered_troubles(subscription: Subscription) -> dict[str, str]:
    """Return what is to be told, by its key, with the time at which it was noticed. What is over leaves the cursor."""
    found = dict(troubles_of(subscription.owner))
    subscription.told = {key: words for key, words in subscription.told.items() if key in found}
    now = date_format(timezone.now(), "DATETIME_FORMAT")
    return {
        key: _("%(time)s UTC: %(trouble)s") % {"time": now, "trouble": words}
        for key, words in found.items()
        if key not in subscription.told
    }


def mail_of_troubles(batch: Mapping[str, str]) -> Mail:
    links = _("All of it: %(link)s") % {"link": site_address("operations")}
    ends = _("You asked for these messages. Change or end them: %(link)s") % {"link": site_address("subscriptions")}
    # Several locales fall silent with the same words.
    words = dict.fromkeys(batch.values())
    return Mail(_("The site needs an operator"), "\n\n".join([*words, links, ends]) + "\n")


def document_of_troubles(subscription: Subscription, batch: Mapping[str, str]) -> bytes:
    content = {
        "id": str(identifier(subscription)),
        "subscription": str(subscription.pk),
        "link": site_address("operations"),
        "troubles": [{"kind": key.partition(" ")[0], "text": words} for key, words in batch.items()],
    }
    return json.dumps(content, ensure_ascii=False).encode()
