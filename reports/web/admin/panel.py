"""A version in words: its rules, and “What this means”, their consequences."""

from typing import NamedTuple

from django.contrib.auth.models import User
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from reports import access
from reports.formatting import plain, whole
from reports.models import Version
from reports.privacy import Loss
from reports.privacy.impact import Alphabet, Consequences, Search, consequences
from reports.web.admin.parameters import algorithm_choices, parameter_label


class Line(NamedTuple):
    """A figure, and how it is to be understood."""

    name: str
    figure: str
    meaning: str


def panel(version: Version, person: User) -> list[Line]:
    found = consequences(version)
    loss = found.loss
    return [
        Line(_("ε of a report"), str(loss.per_report), _report_words(found.search)),
        Line(_("Reports a day"), str(loss.reports_per_day), _limit_words(loss, person)),
        Line(_("ε a person and day"), str(loss.per_day), _day_words(loss)),
        Line(
            _("ε over the days held"),
            plain(loss.over_retention),
            _(
                "If a person sends the most that is allowed on each of the %(days)s days whose reports may be held at"
                " the same time: %(kept)s, and %(more)s more for what had to wait until it was counted."
            )
            % {
                "days": loss.days_held,
                "kept": loss.retention_days,
                "more": loss.days_held - loss.retention_days,
            },
        ),
        Line(
            _("Report on the wire"),
            _bytes(found.wire_bytes),
            _("The longest one in an upload, before compression."),
        ),
        *(_costs(found) if found.search is None else _costs_of_search(found, found.search)),
        _smallest_share(found),
    ]


def _report_words(search: Search | None) -> str:
    if search is None:
        return _("What one report can give away, at most.")
    words = _(
        "What one report can give away, at most: ε = %(word)s for the word and ε′ = %(fragment)s for two of its"
        " letters, which add up."
    )
    return words % {"word": search.word_epsilon, "fragment": search.fragment_epsilon}


def _costs(found: Consequences) -> list[Line]:
    return [
        Line(_("Report in storage"), _bytes(found.stored_bytes), _("Until the raw reports are deleted.")),
        Line(
            _("Memory of a run"),
            filesizeformat(found.memory_bytes),
            _("An estimate of the most that each worker takes, for a dictionary of %(count)s elements.")
            % {"count": whole(found.elements)},
        ),
        Line(
            _("Kept for good"),
            filesizeformat(found.read_out_bytes),
            _("Counts of each day and locale, from which every window is added up."),
        ),
    ]


def _costs_of_search(found: Consequences, search: Search) -> list[Line]:
    return [
        Line(
            _("Report in storage"),
            _bytes(found.stored_bytes),
            _("A word and two letters, apart from each other, until the raw reports are deleted."),
        ),
        Line(
            _("Memory of a run"),
            filesizeformat(found.memory_bytes),
            _("An estimate of the most that each worker takes."),
        ),
        Line(
            _("Kept for good"),
            filesizeformat(found.read_out_bytes),
            _("Sketches of each day and locale, which every window adds up and looks for words in; at most."),
        ),
        *map(_alphabet, search.alphabets),
    ]


def _alphabet(alphabet: Alphabet) -> Line:
    size = len(alphabet.characters)
    words = _("%(characters)s – a run looks up %(look_ups)s fragments for it: %(fragments)s in each hash row.")
    return Line(
        _("Alphabet of %(locale)s") % {"locale": alphabet.locale},
        ngettext("%(count)d character", "%(count)d characters", size) % {"count": size},
        words
        % {
            # Isolated, so that letters written from the right leave the sentence alone.
            "characters": f"\u2068{alphabet.characters}\u2069",
            "look_ups": whole(alphabet.look_ups),
            "fragments": whole(alphabet.fragments),
        },
    )


def _limit_words(loss: Loss, person: User) -> str:
    if not loss.shared_with:
        return _("Of one device.")
    visible = set(access.use_cases(person, "view").values_list("pk", flat=True))
    names = [use_case.title for use_case in loss.shared_with if use_case.pk in visible]
    hidden = len(loss.shared_with) - len(names)
    if hidden:
        names.append(ngettext("%d that you may not see", "%d that you may not see", hidden) % hidden)
    return _("Of one device, shared with: %(names)s.") % {"names": ", ".join(names)}


def _day_words(loss: Loss) -> str:
    words = _("Reports a day times the ε of a report.")
    if loss.shared_with and loss.per_day > loss.reports_per_day * loss.per_report:
        words = _("Reports a day times the largest ε among the use cases that share the limit.")
    return words


def _smallest_share(found: Consequences) -> Line:
    name = _("Smallest share to be seen")
    count = {"n": whole(found.minimum_reports)}
    if found.smallest_share is None:
        return Line(name, "–", _("Nothing can be counted: there is no dictionary yet."))
    if found.prescribed_threshold is not None:
        words = _("Of %(n)s reports, the minimum, with a threshold of at least %(prescribed)s, as prescribed.")
        text = "–" if found.smallest_share >= 1 else _percent(found.smallest_share)
        return Line(name, text, words % (count | {"prescribed": whole(found.prescribed_threshold)}))
    if found.smallest_share >= 1:
        words = _("With %(n)s reports, the minimum, nothing can be seen at all. Ask for more reports, or a larger ε.")
        return Line(name, "–", words % count)
    words = _(
        "Of %(n)s reports, the minimum: a rarer element stays hidden in the noise. Four times the reports halve it."
    )
    if found.search is not None:
        words = _(
            "Of %(n)s reports, the minimum: a word of this share is found with probability 0.9, a rarer one less often."
            " Four times the reports halve it."
        )
    return Line(name, _percent(found.smallest_share), words % count)


def _percent(share: float) -> str:
    return _("%(percent)s %%") % {"percent": f"{100 * share:.2g}"}


def _bytes(count: int) -> str:
    return ngettext("%(count)s byte", "%(count)s bytes", count) % {"count": whole(count)}


def rules_in_words(version: Version) -> list[tuple[str, str]]:
    """What cannot change any more once a version is active."""
    alphabet, algorithm = version.alphabet, version.algorithm
    lines = [f"{locale}: {text}" for locale, text in alphabet.items()] if isinstance(alphabet, dict) else [alphabet]
    wire = version.parameters
    return [
        (_("Algorithm"), dict(algorithm_choices()).get(algorithm, algorithm)),
        *((parameter_label(name, algorithm), str(wire[name])) for name in version.mechanism.parameter_types),
        *([(_("Seed"), str(wire["seed"]))] if version.has_seed else []),
        (_("Normalisation"), version.normalization),
        (_("Keep case"), _("yes") if version.keep_case else _("no")),
        (_("Alphabet"), "\n".join(filter(None, lines)) or _("any character")),
    ]
