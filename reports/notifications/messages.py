"""News as a mail for people, and as a document for programs.

Elements may be words that strangers chose: mails are plain text, and what could break a line or turn its direction is
taken out.
"""

import json
import unicodedata
import uuid
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from reports.formatting import day_range, isolated, signed, small_percent, whole
from reports.models import Subscription
from reports.notifications.news import Item
from reports.results.comparison import Share

# For each kind, locale and window; the page has all.
MOST_LISTED: Final = 20
_KINDS = {
    "new_word": gettext_lazy("New words"),
    "new_in_top": gettext_lazy("New in the top 10"),
    "above": gettext_lazy("Above the share that you named"),
    "below": gettext_lazy("Below the share that you named"),
}
# Characters that join people's names, flags and skin tones into one sign.
_JOINERS: Final = "\u200d\u200c"


class Mail(NamedTuple):
    subject: str
    body: str


def one_line(text: str) -> str:
    """Remove line breaks, control characters and marks that turn the direction of what follows."""
    kept = (each if not unicodedata.category(each).startswith("C") or each in _JOINERS else " " for each in text)
    # Tags of flags are control characters, too; without them the flag is a plain one.
    return " ".join("".join(kept).split())


def mail(subscription: Subscription, news: Sequence[Item]) -> Mail:
    """Write the mail in the active language."""
    title = one_line(subscription.about.title)
    day = date_format(max(item.last_day for item in news))
    lines = [
        _("%(title)s: news up to %(day)s") % {"title": title, "day": day},
        *(
            line
            for locale, items in groupby(news, key=lambda item: item.locale)
            for line in _locale(subscription, locale, items)
        ),
    ]
    lines += [
        "",
        _(
            # xgettext:no-python-format
            "These are estimated shares of reports, not of people, with 95 % intervals. What is below the threshold T"
            " is left out."
        ),
    ]
    if any(item.kind == "significant_change" for item in news):
        lines.append(
            _(
                "The intervals of differences also allow for who happened to report. Of the changes in a message, one"
                " in twenty at most is expected to be chance."
            )
        )
    lines.append(
        _("You asked for these messages. Change or end them: %(link)s") % {"link": site_address("subscriptions")}
    )
    return Mail(_("%(title)s: news up to %(day)s") % {"title": title, "day": day}, "\n".join(lines) + "\n")


def _locale(subscription: Subscription, locale: str, items: Iterable[Item]) -> list[str]:
    lines = ["", f"[{locale}]" if locale != "und" else ""]
    for _window, of_list in groupby(items, key=lambda item: (item.kind, item.last_day, item.window_before)):
        found = list(of_list)
        lines += ["", _heading(found[0])]
        lines += [f"- {_line(item)}" for item in found[:MOST_LISTED]]
        more = len(found) - MOST_LISTED
        if more > 0:
            lines.append(ngettext("- and %(more)s more", "- and %(more)s more", more) % {"more": whole(more)})
        lines.append(_("All of it: %(link)s") % {"link": link_to(subscription, found[0])})
    return lines


def _heading(item: Item) -> str:
    days = day_range(item.first_day, item.last_day)
    if item.kind == "silent":
        return _("Nothing is published")
    if item.kind in _KINDS or item.window_before is None:
        return f"{_KINDS[item.kind]} ({days})"
    before = day_range(*item.window_before)
    return _("Significant changes (%(days)s, compared with %(before)s)") % {"days": days, "before": before}


def _line(item: Item) -> str:
    if item.kind == "silent":
        return _("The last day that has results is %(day)s.") % {"day": date_format(item.last_day)}
    element = isolated(one_line(f"{item.display} {item.name}"))
    if item.before is None:
        return _("%(element)s: rank %(rank)s, %(share)s") % {
            "element": element,
            "rank": whole(item.rank or 0),
            "share": _share(item.share),
        }
    words = _("%(element)s rises: before %(before)s, now %(now)s")
    if not item.rises:
        words = _("%(element)s falls: before %(before)s, now %(now)s")
    line = words % {"element": element, "before": _share(item.before), "now": _share(item.share)}
    value, lower, upper, _at_most = item.difference
    if value is None or lower is None or upper is None:
        return line
    points = _("%(change)s; difference %(value)s, 95 %% interval %(lower)s to %(upper)s percentage points")
    return points % {"change": line, "value": _points(value), "lower": _points(lower), "upper": _points(upper)}


def _share(share: Share) -> str:
    if share.value is None or share.lower is None or share.upper is None:
        bound = {"bound": small_percent(share.at_most if share.at_most is not None else 1.0)}
        return _("too rare to be told from noise (at most %(bound)s)") % bound
    return _("%(share)s (%(lower)s to %(upper)s)") % {
        "share": small_percent(share.value),
        "lower": small_percent(max(share.lower, 0.0)),
        "upper": small_percent(share.upper),
    }


def _points(share: float) -> str:
    return signed(100 * share, 2)


# --- For programs ---


def identifier(subscription: Subscription) -> uuid.UUID:
    """Return the identifier of a message, which stays the same when the message is sent again."""
    return uuid.uuid5(subscription.pk, json.dumps([subscription.told, subscription.batch], sort_keys=True))


def document(subscription: Subscription, news: Sequence[Item]) -> bytes:
    """Write the message as JSON for a program, complete and unrounded."""
    content = {
        "id": str(identifier(subscription)),
        "subscription": str(subscription.pk),
        "use_case": subscription.about.slug,
        "title": subscription.about.title,
        "up_to": max(item.last_day for item in news).isoformat(),
        "link": link_to(subscription, news[0]),
        "news": [_entry(subscription, item) for item in news],
    }
    return json.dumps(content, ensure_ascii=False).encode()


def _entry(subscription: Subscription, item: Item) -> dict[str, object]:
    found: dict[str, object] = {
        "kind": item.kind,
        "locale": item.locale,
        "first_day": item.first_day.isoformat(),
        "last_day": item.last_day.isoformat(),
        "element": item.element,
        "display": item.display,
        **_numbers(item.share),
        "link": link_to(subscription, item),
    }
    if item.kind == "silent":
        return {name: found[name] for name in ("kind", "locale", "last_day", "link")}
    if item.before is None or item.window_before is None:
        return found | {"rank": item.rank}
    first, last = item.window_before
    value, lower, upper, _at_most = item.difference
    return found | {
        "before": {"first_day": first.isoformat(), "last_day": last.isoformat(), **_numbers(item.before)},
        "direction": "up" if item.rises else "down",
        "difference": value,
        "difference_lower": lower,
        "difference_upper": upper,
    }


def _numbers(share: Share) -> dict[str, object]:
    return {"share": share.value, "lower": share.lower, "upper": share.upper, "at_most": share.at_most}


# --- Both ---


def link_to(subscription: Subscription, item: Item) -> str:
    """Return the address of the histogram that an item is about."""
    window = {"locale": item.locale, "from": item.first_day.isoformat(), "to": item.last_day.isoformat()}
    return f"{site_address('use_case', subscription.about.slug)}?{urlencode(window)}"


def site_address(name: str, *arguments: object) -> str:
    """Return a whole address of a page."""
    return f"{settings.LDPSITE_ADDRESS}{reverse(name, args=arguments)}"
