"""The privacy page of the whole site in words: what one person can give away, and each use case in a line."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import whole
from reports.models import UseCase
from reports.web.pages.privacy_words import number, rounded_up
from reports.web.pages.tables import Cell, Heading, Table
from reports.web.pages.tables import number as heading


class Budgets:
    """Figures of the site's document in words."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @property
    def budgets(self) -> Table | None:
        loss = self.document["epsilon"]
        rows = [
            (
                _budget(line),
                line["budget_group"] or "–",
                whole(line["reports_per_day"]) if line["reports_per_day"] else "–",
                number(line["largest_epsilon"]) if line["reports_per_day"] else "–",
                number(line["per_day"]),
                number(line["over_retention"]),
            )
            for line in loss["budgets"]
        ]
        headings = [
            Heading(_("Use cases")),
            Heading(_("Budget group")),
            heading(_("Reports a day")),
            heading(_("ε of a report, at most")),
            heading(_("ε a day")),
            heading(_("ε over the days held")),
        ]
        words = _("What a device can give away a day, and over the days whose reports may be held at the same time")
        total = (_("All together, at most"), "", "", "", number(loss["per_day"]), number(loss["over_retention"]))
        return Table(words, headings, rows, "day", total) if rows else None

    def use_cases(self, *, is_stranger: bool) -> Table | None:
        """Return the use cases whose pages the reader may read."""
        words = _("Use cases whose results you may see, and those whose privacy page is published")
        headings = [
            Heading(_("Use case")),
            heading(_("ε of a report")),
            heading(_("Reports a day")),
            heading(_("ε a day")),
            heading(_("Days held, at most")),
            heading(_("Shown from")),
            heading(_("Central ε of a report")),
        ]
        rows = [_line(line, is_stranger) for line in self.document["use_cases"]]
        caption = _("Use cases whose privacy page is published") if is_stranger else words
        return Table(caption, headings, rows, "cases") if rows else None


def _line(line: dict[str, Any], is_stranger: bool) -> list[Cell | str]:
    state = UseCase.State(line["state"])
    badges = [] if state == UseCase.State.RUNNING else [str(state.label)]
    if not is_stranger and not line["published"]:
        badges.append(_("not published"))
    name = Cell(line["title"], reverse("use_case_privacy", args=[line["use_case"]]), badges=badges)
    if line["version"] is None:
        return [name, _("It has never asked anything."), "", "", "", "", ""]
    central = line["central_epsilon"]
    return [
        name,
        number(line["per_report"]),
        whole(line["reports_per_day"]),
        number(line["per_day"]),
        whole(line["days_held"]),
        _("%(minimum)s reports") % {"minimum": whole(line["minimum_reports"])},
        _("local ε only") if central is None else rounded_up(central),
    ]


def _budget(line: dict[str, Any]) -> str:
    asked = _named(line["use_cases"], line["others"])
    held = _named(line["held"], line["held_others"])
    if not held:
        return asked
    words = _("%(names)s (not asked now; reports may still be held)") % {"names": held}
    return f"{asked}; {words}" if asked else words


def _named(titles: Sequence[str], others: int) -> str:
    names = list(titles)
    if others:
        words = ngettext(
            "%(count)s use case whose page is not published", "%(count)s use cases whose pages are not published",
            others,
        )  # fmt: skip
        names.append(words % {"count": whole(others)})
    return ", ".join(names)
