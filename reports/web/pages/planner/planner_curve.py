"""The curve of the planner: the smallest share that is seen against reports, a line for each ε; and as a table."""

from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from reports.formatting import plain, small_percent, whole
from reports.mechanisms import name_of
from reports.planning import Curve
from reports.web.pages.figures import MARGIN, Chart, label, series, shaped
from reports.web.pages.tables import Heading, Table, number


def chart(curve: Curve) -> Chart:
    traces = [
        series(
            place,
            _epsilon(epsilon),
            curve.reports,
            [None if share is None else 100 * share for share in shares],
            [
                f"{_epsilon(epsilon)} · {whole(n)} · {_share(share)}"
                for n, share in zip(curve.reports, shares, strict=True)
            ],
        )
        for place, (epsilon, shares) in enumerate(curve.lines)
    ]
    layout = {
        "height": 320,
        "margin": MARGIN | {"t": 36},
        "showlegend": True,
        "hovermode": "closest",
        "xaxis": {
            "type": "log",
            "title": {"text": label(_("Reports a day"))},
            "tickvals": list(curve.reports[::2]),
            "ticktext": [whole(n) for n in curve.reports[::2]],
        },
        "yaxis": {
            "type": "log",
            "title": {"text": label(_("Smallest share that is seen"))},
            "ticksuffix": "\u00a0%",
            "exponentformat": "none",
        },
    }
    return Chart(shaped(traces, layout), _summary(curve), "planner")


def table(curve: Curve) -> Table:
    return Table(
        _("Smallest share that is seen, by reports a day and ε"),
        [Heading(_("Reports a day")), *(number(_epsilon(epsilon)) for epsilon, _shares in curve.lines)],
        [
            [whole(n), *(_share(shares[place]) for _epsilon, shares in curve.lines)]
            for place, n in enumerate(curve.reports)
        ],
        "curve",
    )


def _summary(curve: Curve) -> str:
    epsilon, shares = curve.lines[-1]
    facts = {
        "mechanism": name_of(curve.algorithm),
        "epsilon": plain(epsilon),
        "few": whole(curve.reports[0]),
        "first": _share(shares[0]),
        "many": whole(curve.reports[-1]),
        "last": _share(shares[-1]),
    }
    words = _(
        "With %(mechanism)s at ε = %(epsilon)s, the smallest share that is seen goes from %(first)s with %(few)s"
        " reports a day to %(last)s with %(many)s. The table has a column for each ε."
    )
    return words % facts


def _epsilon(epsilon: Decimal) -> str:
    return _("ε = %(epsilon)s") % {"epsilon": plain(epsilon)}


def _share(share: float | None) -> str:
    return pgettext("a share", "none") if share is None else small_percent(share)
