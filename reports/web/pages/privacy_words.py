"""The privacy page of a use case in words, and figures as privacy pages write them."""

import datetime
import math
from decimal import Decimal
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from reports.formatting import day_range, plain, rounded, whole
from reports.mechanisms import title_of
from reports.models import Deletion, UseCase, Version
from reports.viewings import IN_WORDS
from reports.web.pages.locales import locale_name
from reports.web.pages.provenance_facts import Facts, loss_facts
from reports.web.pages.tables import Heading, Table
from reports.web.pages.tables import number as heading

_FIELDS = {
    "epsilon": "ε",
    "fragment_epsilon": "ε′",
    "fragment_k": "k′",
    "fragment_m": "m′",
    "fragment_g": "g′",
}


class Words:
    """Figures of a use case's document in words."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @property
    def state(self) -> str:
        """Empty while it is running."""
        state = UseCase.State(self.document["state"])
        return "" if state == UseCase.State.RUNNING else str(state.label)

    @property
    def facts(self) -> Facts:
        """ε, added up."""
        loss = self.document["epsilon"]
        epsilons = (number(loss[name]) for name in ("per_report", "per_day", "over_retention"))
        return loss_facts(loss["reports_per_day"], loss["days_held"], *epsilons)

    @property
    def kept(self) -> str:
        """Say for how long raw reports are kept."""
        kept = self.document["retention"]
        words = _(
            "Raw reports are deleted at most %(held)s days after they arrive: %(days)s are the retention, and up to"
            " %(more)s come before it, half of them for those that wait because there are too few others yet, half for"
            " those that look suspicious."
        )
        held, days = kept["days_held"], kept["days"]
        return words % {"held": whole(held), "days": whole(days), "more": whole(held - days)}

    @property
    def batches(self) -> Table:
        return Table(
            _("What the results can tell about one person’s reports of a day"),
            [
                Heading(_("What they see")),
                heading(_("Reports in it, at least")),
                heading(_("Of one person and day, at most")),
                heading(_("Their ε by themselves")),
                heading(_("Central ε")),
                heading(_("Even odds become")),
            ],
            [
                [
                    _batch(batch),
                    whole(batch["n"]),
                    whole(batch["reports_per_person"]),
                    number(batch["local_epsilon"]),
                    _("local ε only") if batch["central_epsilon"] is None else rounded_up(batch["central_epsilon"]),
                    "–" if batch["central_epsilon"] is None else sure(batch["central_epsilon"]),
                ]
                for batch in self.document["central"]["batches"]
            ],
            "batches",
        )

    @property
    def deletions(self) -> Table | None:
        """When, of which days, why, and how many. Strangers: in which month, and why."""
        minimum = self.document.get("threshold", {}).get("minimum_reports")
        found = [_deletion(row, minimum) for row in self.document["retention"]["deletions"]["newest"]]
        headings = [Heading(_("Deleted on")), Heading(_("Reports of")), Heading(_("Reason")), heading(_("How many"))]
        if any(window for _deleted, window, _reason, _count in found):
            return Table(_("Raw reports that were deleted"), headings, found, "deletions")
        rows = [(deleted, reason) for deleted, _window, reason, _count in found]
        return Table(_("Raw reports that were deleted"), headings[::2], rows, "deletions") if found else None

    @property
    def readers(self) -> list[tuple[str, str]]:
        found = self.document["access"]
        return [
            (_("People who may see the results"), whole(found["people_who_see_results"])),
            (_("People who may change these settings"), whole(found["people_who_change_settings"])),
            (_("Programs that may read the results"), whole(found["programs_that_read_results"])),
            (
                _("Times looked at in the last %(days)s days") % {"days": whole(found["looked_at"]["days"])},
                whole(found["looked_at"]["times"]),
            ),
        ]

    @property
    def looked_at(self) -> str:
        """Ways in which it was looked at; empty if it was not."""
        by = self.document["access"]["looked_at"]["by"]
        return ", ".join(f"{IN_WORDS.get(what, what)} {whole(times)}" for what, times in by.items())

    @property
    def groups(self) -> Table | None:
        rows = [
            (group["name"], _("sees and changes") if group["owner"] else _("sees"), whole(group["people"]))
            for group in self.document["access"].get("groups", [])
        ]
        headings = [Heading(_("Group")), Heading(_("May")), heading(_("People"))]
        return Table(_("Groups with access"), headings, rows, "groups") if rows else None

    @property
    def versions(self) -> list[tuple[str, Table | None]]:
        """Versions, the newest first, each with what it changed."""
        return [(_version(each), _changes(each)) for each in self.document["versions"]]


def _batch(batch: dict[str, Any]) -> str:
    if batch["what"] == "report":
        return _("All results, one report")
    if batch["what"] == "day":
        return _("All results, what one person sends on one day")
    window = day_range(_day(batch["first_day"]), _day(batch["last_day"]))
    words = {
        "published_window": _("Newest published window: %(window)s, %(locale)s"),
        "published_period": _("Newest release period: %(window)s, %(locale)s"),
    }
    return words[batch["what"]] % {"window": window, "locale": locale_name(batch["locale"])}


def _deletion(row: dict[str, Any], minimum: int | None) -> tuple[str, str, str, str]:
    reason = str(Deletion.Reason(row["reason"]).label)
    if "first_day" not in row:
        return date_format(_day(f"{row['deleted_on']}-01"), "YEAR_MONTH_FORMAT"), "", reason, ""
    window = day_range(_day(row["first_day"]), _day(row["last_day"]))
    count = "" if minimum is None else _count(row, minimum)
    return date_format(_day(row["deleted_on"])), window, reason, count


def _count(row: dict[str, Any], minimum: int) -> str:
    if row["reports"] is not None:
        return whole(row["reports"])
    words = _("fewer than %(minimum)s") if row["fewer_than_minimum"] else _("at least %(minimum)s")
    return words % {"minimum": whole(minimum)}


def _version(version: dict[str, Any]) -> str:
    words = _("Version %(number)s: %(state)s, made on %(day)s")
    return words % {
        "number": whole(version["number"]),
        "state": Version.State(version["state"]).label,
        "day": date_format(_day(version["created_on"])),
    }


def _changes(version: dict[str, Any]) -> Table | None:
    labels = {
        "algorithm": _("algorithm"),
        "seed": _("seed of the hash functions"),
        "hash": _("hash functions"),
        "length": _("length of words"),
        "fragment_share": _("share of reports about two letters"),
        "normalization": _("normalisation"),
        "keep_case": _("keep case"),
        "alphabet": _("alphabet"),
        "locales": _("languages and regions"),
    }
    rows = [
        (_FIELDS.get(change["field"]) or labels.get(change["field"], change["field"]), *_before_and_since(change))
        for change in version["changes"]
    ]
    number = f"changes-{version['number']}"
    return (
        Table(_("What it changed"), [Heading(_("Rule")), Heading(_("Before")), Heading(_("Since"))], rows, number)
        if rows
        else None
    )


def _before_and_since(change: dict[str, Any]) -> tuple[str, str]:
    written = title_of if change["field"] == "algorithm" else _value
    return written(change["from"]), written(change["to"])


def _value(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return "; ".join(f"{name}: \u2068{text}\u2069" for name, text in value.items())
    return ", ".join(value) if isinstance(value, list) else str(value)


def _day(text: str) -> datetime.date:
    return datetime.date.fromisoformat(text)


def number(value: float) -> str:
    """All digits of an ε, which has at most three behind the point."""
    return plain(Decimal(f"{value:.3f}"))


def rounded_up(epsilon: float) -> str:
    """A bound with two digits that say something, never below itself."""
    digits = max(0, 1 - math.floor(math.log10(epsilon)))
    return rounded(math.ceil(epsilon * 10**digits) / 10**digits, digits)


def sure(epsilon: float) -> str:
    """The most certain that even odds can become, rounded up."""
    share = 1 / (1 + math.exp(-epsilon))
    # Near certainty one more digit tells something, until it is as good as certain.
    digits = 1 if share <= 0.999 else 2
    certainty = math.ceil(share * 10 ** (digits + 2)) / 10**digits
    return _("%(number)s %%") % {"number": rounded(certainty, digits if certainty < 100 else 0)}
