"""The answer of an evaluation, in sentences: which parameters to take at which ε, and how sure the first places are."""

import json
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

import aggregation.evaluation
from reports.evaluation.cell_facts import ENOUGH_REPETITIONS, REPETITIONS_TO_BE_SURE, SURE, CellFacts, cheapest
from reports.formatting import data_size, percent, plain, small_percent, whole

COUNTS = {
    "harmonic": gettext_lazy("harmonic counts"),
    "exponential": gettext_lazy("exponential counts"),
    "even": gettext_lazy("even counts"),
    "published": gettext_lazy("the published chart"),
    "list": gettext_lazy("your own list"),
}


def counts_name(name: str) -> str:
    return str(COUNTS.get(name, name))


def epsilon_text(epsilon: float) -> str:
    return plain(Decimal(f"{epsilon:g}"))


def _smallest(cells: Sequence[CellFacts], is_enough: Callable[[CellFacts], bool]) -> float | None:
    """Return the smallest ε at which one set of parameters is enough for all counts with an order; None if none."""
    ordered = [cell for cell in cells if cell.has_order]
    inputs = {cell.distribution for cell in ordered}
    for epsilon in sorted({cell.epsilon for cell in ordered}):
        enough = {(cell.name, cell.distribution) for cell in ordered if cell.epsilon == epsilon and is_enough(cell)}
        if any(enough.issuperset((name, each) for each in inputs) for name, _input in enough):
            return epsilon
    return None


def usual_epsilon(cells: Sequence[CellFacts]) -> float | None:
    """Return the ε that is answered for if no other is chosen: the one that the answer names first, or the largest."""
    enough = _smallest(cells, lambda cell: cell.is_sure("first_in_order"))
    return max((cell.epsilon for cell in cells), default=None) if enough is None else enough


def answers(cells: Sequence[CellFacts], epsilon: float | None) -> list[str]:
    """Answer for all ε together, then for one of them, kind of counts by kind of counts; nothing of no cells."""
    return list(_answers(cells, [cell for cell in cells if cell.epsilon == epsilon]))


def _answers(cells: Sequence[CellFacts], at_epsilon: Sequence[CellFacts]) -> Iterator[str]:
    few = any(cell.repetitions < ENOUGH_REPETITIONS for cell in cells)
    if few:
        yield _too_few(cells[0].repetitions)
    elif len({cell.epsilon for cell in cells}) > 1 and any(cell.has_order for cell in cells):
        yield _over_all(cells)
    best = []
    for name in dict.fromkeys(cell.distribution for cell in at_epsilon):
        own = [cell for cell in at_epsilon if cell.distribution == name]
        if not own[0].has_order:
            yield _("At ε = %(epsilon)s, %(counts)s: all are equally frequent, so that no order is right.") % _facts(
                own[0]
            )
        elif not few:
            yield from _of_counts(own)
            best.append(_best(own))
        elif len(own) == 1:
            yield f"{_at(own[0])} {_chances(own[0])}"
    if best and all(map(_is_of_paper, best)):
        words = _("%(parameters)s is also what the paper of the evaluation model chose (Baidu’s security lab, 2018).")
        yield words % _facts(best[0])


def _too_few(repetitions: int) -> str:
    words = ngettext(
        "A single repetition is too few to recommend anything: repeat %(enough)s times or more.",
        "%(repetitions)s repetitions are too few to recommend anything: repeat %(enough)s times or more.",
        repetitions,
    )
    return words % {"repetitions": whole(repetitions), "enough": whole(ENOUGH_REPETITIONS)}


def _over_all(cells: Sequence[CellFacts]) -> str:
    words = _(
        "The smallest ε of those tried that is surely enough: %(in_order)s for 9 of 10 histograms to show the first"
        " %(first)s exactly in order, %(in_any_order)s for the right %(first)s in any order, and %(held)s for these"
        " places to hold."
    )
    said = words % {
        "first": whole(max(cell.size for cell in cells)),
        "in_order": _needed_to_be_sure(cells, "first_in_order"),
        "in_any_order": _needed_to_be_sure(cells, "first_in_any_order"),
        "held": _needed(_smallest(cells, lambda cell: cell.holds)),
    }
    if len({cell.distribution for cell in cells if cell.has_order}) > 1:
        said += " " + _("This is for all counts with the same parameters.")
    if cells[0].repetitions < REPETITIONS_TO_BE_SURE:
        words = _("It takes %(enough)s repetitions or more to be sure of 9 of 10 histograms.")
        return f"{said} {words % {'enough': whole(REPETITIONS_TO_BE_SURE)}}"
    return " ".join([said, *_undecided(cells)])


def _undecided(cells: Sequence[CellFacts]) -> Iterator[str]:
    """Name the ε that is enough by the share that was seen, and too uncertain to say so."""
    sure = _smallest(cells, lambda cell: cell.is_sure("first_in_order"))
    likely = _smallest(cells, lambda cell: cell.chance("first_in_order")["share"] >= SURE)
    if likely is not None and (sure is None or likely < sure):
        words = _("For the exact order %(needed)s may be enough: %(repetitions)s repetitions cannot tell, more would.")
        yield words % {"needed": _needed(likely), "repetitions": whole(cells[0].repetitions)}


def _needed(epsilon: float | None) -> str:
    if epsilon is None:
        return _("none")
    return _("ε = %(epsilon)s") % {"epsilon": epsilon_text(epsilon)}


def _needed_to_be_sure(cells: Sequence[CellFacts], name: str) -> str:
    """Name the ε with which these places are surely right, and how likely they are with the next smaller one."""
    epsilon = _smallest(cells, lambda cell: cell.is_sure(name))
    smaller = [cell for cell in cells if cell.has_order and epsilon is not None and cell.epsilon < epsilon]
    if not smaller:
        return _needed(epsilon)
    next_smaller = max(cell.epsilon for cell in smaller)
    # The chance with the counts that suit it least, for each set of parameters.
    least: dict[str, float] = {}
    for cell in smaller:
        if cell.epsilon == next_smaller:
            least[cell.name] = min(cell.chance(name)["share"], least.get(cell.name, 1))
    return _("%(needed)s (%(smaller)s gives %(chance)s)") % {
        "needed": _needed(epsilon),
        "smaller": epsilon_text(next_smaller),
        "chance": percent(max(least.values()), 0),
    }


def _of_counts(cells: Sequence[CellFacts]) -> Iterator[str]:
    """Recommend the cheapest with which the first places hold; or, if none does, the one with which most hold."""
    best = _best(cells)
    yield _alone(best) if len(cells) == 1 else _recommended(best, cells)
    if not best.is_sure("first_in_order"):
        yield from _surer(cells, best)
    for cell in cells:
        if _is_of_paper(cell) and cell is not best:
            yield _of_paper(cell)


def _surer(cells: Sequence[CellFacts], best: CellFacts) -> Iterator[str]:
    """Name the cheapest that is sure of the order in 9 of 10 histograms; or, if none is, one that is clearly better."""
    if sure := [cell for cell in cells if cell.is_sure("first_in_order")]:
        words = _(
            "The cheapest that surely shows the exact order in 9 of 10 histograms is %(name)s: its chance is"
            " %(in_order)s, and a report takes %(bytes)s."
        )
        yield words % _facts(cheapest(sure))
        return
    surest = max(cells, key=lambda cell: (cell.chance("first_in_order")["share"], -cell.cost))
    if surest.chance("first_in_order")["lower"] > best.chance("first_in_order")["upper"]:
        words = _("The best chance of the exact order, %(in_order)s, has %(name)s; a report takes %(bytes)s.")
        yield words % _facts(surest)


def _best(cells: Sequence[CellFacts]) -> CellFacts:
    most = max(cell.held for cell in cells)
    return cheapest([cell for cell in cells if cell.held == most])


def _at(cell: CellFacts) -> str:
    return _("At ε = %(epsilon)s, %(counts)s, with %(name)s:") % _facts(cell)


def _alone(cell: CellFacts) -> str:
    return " ".join([_at(cell), *_held(cell), _chances(cell), _errors(cell)])


def _recommended(best: CellFacts, cells: Sequence[CellFacts]) -> str:
    facts = _facts(best)
    if best.holds:
        take = _("At ε = %(epsilon)s, %(counts)s: take %(name)s; a report takes %(bytes)s.") % facts
        if any(cell.holds and cell.cost < best.cost for cell in cells):
            why = _(
                "Of the cheapest with which the first %(first)s places hold, it has the best chance of the exact order."
            )
        else:
            why = _("It is the cheapest with which the first %(first)s places hold.")
        return f"{take} {_chances(best)} {why % facts}"
    if best.held:
        none = _("At ε = %(epsilon)s, %(counts)s: the first %(first)s places hold with none of these.") % facts
        most = ngettext(
            "With %(name)s most do, the first one.", "With %(name)s most do, the first %(held)s.", best.held
        )
        return " ".join([none, most % facts, *_collisions([best]), _chances(best)])
    none = _("At ε = %(epsilon)s, %(counts)s: no place holds with any of these parameters.") % facts
    return f"{none} {_more(cells)}"


def _chances(cell: CellFacts) -> str:
    words = _(
        "The chance that a histogram shows the first %(first)s exactly in order is %(in_order)s; that it shows the"
        " right %(first)s, in any order, %(in_any_order)s."
    )
    return words % _facts(cell)


def _held(cell: CellFacts) -> Iterator[str]:
    """Say how many of the first places hold, and how many are sure."""
    facts = _facts(cell)
    if not cell.held:
        yield _("none of the first %(first)s places holds.") % facts
        yield _more([cell])
        return
    words = ngettext(
        "of the first %(first)s places the first one holds.",
        "of the first %(first)s places the first %(held)s hold.",
        cell.held,
    )
    yield words % facts
    yield from _collisions([cell])
    if cell.sure:
        words = ngettext(
            "It is sure that the first one is right in 9 of 10 histograms.",
            "It is sure that the first %(sure)s are exactly in order in 9 of 10 histograms.",
            cell.sure,
        )
        yield words % facts


def _more(cells: Sequence[CellFacts]) -> str:
    return next(_collisions(cells), _("Take a larger ε, or count more reports together."))


def _collisions(cells: Sequence[CellFacts]) -> Iterator[str]:
    """Say what helps where a larger ε does not."""
    if all(cell.is_limited_by_collisions for cell in cells):
        yield _(
            "More ε will not help here: elements collide. Take more hash functions (k), or the corrected estimates."
        )


def _errors(cell: CellFacts) -> str:
    words = _(
        "Counts are off by %(error)s reports in a single histogram (place %(first)s has %(count)s), and by"
        " %(deviation)s on average over many."
    )
    return words % _facts(cell)


def _facts(cell: CellFacts) -> dict[str, Any]:
    return {
        "name": cell.name,
        "parameters": cell.parameters,
        "counts": counts_name(cell.distribution),
        "epsilon": epsilon_text(cell.epsilon),
        "first": whole(cell.size),
        "held": whole(cell.held),
        "sure": whole(cell.sure),
        "bytes": data_size(cell.report_bytes),
        "in_order": chance_text(cell, "first_in_order"),
        "in_any_order": chance_text(cell, "first_in_any_order"),
        "error": whole(cell.root_mse),
        "count": whole(cell.top[-1]["count"]),
        "deviation": "–" if cell.delta_e is None else small_percent(cell.delta_e),
    }


def chance_text(cell: CellFacts, name: str) -> str:
    """A chance with the ends of its 95 % interval."""
    found = {name: percent(share, 0) for name, share in cell.chance(name).items()}
    return _("%(share)s (%(lower)s to %(upper)s)") % found


def _of_paper(cell: CellFacts) -> str:
    words = _(
        "The paper of the evaluation model (Baidu’s security lab, 2018) chose %(parameters)s: with these the first"
        " %(held)s of %(first)s places hold."
    )
    return f"{words % _facts(cell)} {_chances(cell)} {_errors(cell)}"


def _is_of_paper(cell: CellFacts) -> bool:
    choice = _paper()
    return bool(cell.cell["mechanism"] == choice["algorithm"] and cell.cell["parameters"] == choice["parameters"])


@cache
def _paper() -> dict[str, Any]:
    path = Path(aggregation.evaluation.__file__).with_name("paper_choice.json")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
