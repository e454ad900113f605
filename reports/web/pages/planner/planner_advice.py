"""The recommendation of the planner in words."""

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports.formatting import data_size, plain, small_percent, whole
from reports.mechanisms import name_of
from reports.planning import Advice, Plan, Question


def sentences(question: Question, advised: Advice) -> list[str]:
    """What to do, and what to know of it; each a sentence or two."""
    if advised.best is None:
        return [_("None of the mechanisms can have these parameters. Leave m and k empty to see what is suggested.")]
    return list(_sentences(question, advised, advised.best))


def _sentences(question: Question, advised: Advice, best: Plan) -> Iterator[str]:
    if advised.needed is not None:
        yield _too_few(advised, advised.needed)
    else:
        yield _take(best)
        if advised.second is not None:
            yield _instead(advised.second)
    if advised.words is not None:
        yield _words(advised.words)
    if best.finds_words:
        yield _(
            "It finds words that are in no dictionary. You will be asked for the alphabet; 27 letters are assumed here."
        )
    if advised.minimum is not None:
        yield _(
            "A new use case shows nothing of fewer than %(minimum)s reports, so these %(reports)s would stay hidden:"
            " count more days together, or lower its minimum."
        ) % {"minimum": whole(advised.minimum), "reports": whole(question.reports)}
    if advised.much:
        yield _(
            "The ε of a person’s day would be %(epsilon)s: that hardly hides an answer from anybody who sees the raw"
            " reports. Choose a smaller ε, or fewer reports per device and day."
        ) % {"epsilon": plain(best.per_day)}


def _too_few(advised: Advice, needed: int) -> str:
    return _(
        "This shows next to nothing: the most frequent element would have %(share)s of the reports, and with so few"
        " reports that is not seen reliably. About %(needed)s reports a day would show it; so would more days together,"
        " or a larger ε."
    ) % {"share": small_percent(advised.largest_share), "needed": whole(needed)}


def _take(best: Plan) -> str:
    seen = round(best.expectation.visible)
    words = ngettext(
        "Take %(mechanism)s: it would show about %(seen)s element, with reports of %(size)s.",
        "Take %(mechanism)s: it would show about %(seen)s elements, with reports of %(size)s.",
        seen,
    )
    return words % _facts(best, seen)


def _instead(second: Plan) -> str:
    seen = round(second.expectation.visible)
    words = ngettext(
        "%(mechanism)s would show about %(seen)s, with reports of %(size)s.",
        "%(mechanism)s would show about %(seen)s, with reports of %(size)s.",
        seen,
    )
    return words % _facts(second, seen)


def _words(plan: Plan) -> str:
    seen = round(plan.expectation.visible)
    words = ngettext(
        "%(mechanism)s is only for words that nobody can list beforehand; it would find about %(seen)s of them.",
        "%(mechanism)s is only for words that nobody can list beforehand; it would find about %(seen)s of them.",
        seen,
    )
    return words % _facts(plan, seen)


def _facts(plan: Plan, seen: int) -> dict[str, str]:
    return {"mechanism": name_of(plan.algorithm), "seen": whole(seen), "size": data_size(plan.report_bytes)}
