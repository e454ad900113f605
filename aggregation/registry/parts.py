"""Contracts of the modules of a mechanism's package, and the values that they hand over.

`docs/mechanisms.md` says what calls each. The first argument is the mechanism, of the package's own class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from ..arrays import Array, Floats, Integers, Places

Seen = TypeVar("Seen")


@dataclass(frozen=True)
class Finding:
    """Outcome of a test of records.

    Parameters
    ----------
    test : str
        Name of the test, as it is stored and put into words.
    stream : str
        The stream it looked at; empty if at several.
    p_value : float
        The chance that honest records look like this, at most; whatever elements they are about. Of a finding that
        `screen` returns: in any test of any stream.
    facts : mapping of str to float
        What was seen and what was expected, by name.
    """

    test: str
    stream: str
    p_value: float
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Effect:
    """Most that one fake report can move the estimates of a window, in reports.

    A fake that an unchanged client made about a chosen element adds 1 to it on average and nothing to others: it cannot
    be told from an honest report. ``raised`` and ``lowered`` are the most that any well-formed report whatever can add
    to the estimate of one element and take away from it. ``at_once`` is how many elements a crafted report can raise by
    that much together without being conspicuous; where it is None, those others that it raises it has not chosen.
    """

    raised: float
    lowered: float
    at_once: int | None


@dataclass(frozen=True)
class MissingNoise:
    """Point from which short reports that all lack their noise are found.

    From some number on if one element has more than this ``share`` of them, or, whatever they are about, if about so
    many ``reports`` come together; None if no number is enough. Otherwise honest devices that saw other shares could
    have sent the same.
    """

    share: float
    reports: int | None


@runtime_checkable
class ScreeningPart(Protocol):
    """Module `screening`: what honest devices could have sent, and what fakes can do that no test sees.

    A module may have ``kinds_of_record(mechanism)`` as well, which returns the number of possible records of each kind
    and the largest probability of any one of them: then records that come again are looked for one by one.
    """

    def outcomes(self, mechanism: Any, streams: Mapping[str, Array]) -> list[Finding]:
        """Return the outcome of every test of sorted records, failed or not; none of the streams is empty."""

    def likeliest_record(self, mechanism: Any) -> float:
        """Return the most that any record of the report streams has as its probability, whatever the element."""

    def cells(self, mechanism: Any) -> list[tuple[int, float]]:
        """Return cells that devices draw for records of the report streams whatever the element, such as rows.

        How many there are of each kind, and the probability of any one of them.
        """

    def effect(self, mechanism: Any) -> Effect:
        """Return what one fake report does to estimates, at most."""

    def missing_noise(self, mechanism: Any, alpha: float) -> MissingNoise | None:
        """Return when reports that all lack their noise are found at a rate of false alarms; None if always at once."""


@dataclass(frozen=True)
class Measured:
    """A privacy loss as seen from outside.

    Parameters
    ----------
    limit : float
        Lower confidence limit at α.
    estimate : float
        The most likely loss; infinite if what would deny it was never seen.
    error : float
        Standard error that the estimate of an honest client has.
    """

    # How far above ε an estimate may lie. It is judged only where that is so many standard errors: a chance below 1e-6.
    TOLERANCE: ClassVar[float] = 0.05
    ERRORS_IN_TOLERANCE: ClassVar[float] = 4.754

    limit: float
    estimate: float
    error: float

    @property
    def can_tell(self) -> bool:
        """Tell whether there were the runs to judge the estimate."""
        return self.error * self.ERRORS_IN_TOLERANCE <= self.TOLERANCE

    def faults(self, name: str, epsilon: float) -> set[str]:
        wrong = {f"epsilon of {name}"} if self.limit > epsilon else set()
        return wrong | (
            {f"estimate of {name}"} if self.can_tell and self.estimate > epsilon + self.TOLERANCE else set()
        )


class Tally(Protocol[Seen]):
    """Counts over the reports of a client, from which its loss and its faults follow."""

    runs: int

    def read(self, lines: Sequence[str], words: Places) -> Seen:
        """Look at good lines about the words 0 or 1, each word an even number of times in a row."""

    def add(self, seen: Seen) -> None:
        """Count them."""

    def add_twins(self, one: Seen, other: Seen) -> None:
        """Compare what two clients, each started anew, sent in the same order."""

    def loss(self) -> Measured:
        """Return the loss by the events that measure it best at this ε."""

    def faults(self) -> set[str]:
        """Return what is wrong, by name."""


@runtime_checkable
class AuditPart(Protocol):
    """Module `audit`: what each record tells, so that shipped clients are measured."""

    # Faults by the names that its tally's `faults` gives, in words for people.
    FAULTS: Mapping[str, str]

    def tally(self, mechanism: Any, elements: Sequence[str]) -> Tally[Any]:
        """Return empty counts for two elements."""

    def runs_needed(self, mechanism: Any) -> int:
        """Return the runs with which the estimate of the loss can be judged."""

    def log_chance_of_repeat(self, mechanism: Any) -> float:
        """Return the log of the probability of two equal reports about one element, at most."""


@dataclass(frozen=True)
class Wanted:
    """Requirements of a planned collection.

    Parameters
    ----------
    n : int
        Reports.
    size : int
        Elements of the dictionary, or different words that are used.
    sum_of_squares : float
        Σp² of the shares of all elements: F2/n².
    k, m : int, optional
        Rows and buckets of sketches, if they are not to be suggested.
    g, w : int, optional
        Buckets of local hashing, and elements of a subset, if they are not to be suggested.
    complete : bool
        Whether nothing outside the dictionary can be reported, so that collisions are corrected.
    """

    n: int
    size: int
    sum_of_squares: float
    k: int | None = None
    m: int | None = None
    complete: bool = False
    g: int | None = None
    w: int | None = None


@runtime_checkable
class CostPart(Protocol):
    """Module `cost`: what the server's costs grow with, how fast, and the parameters that the planner suggests."""

    SECONDS: tuple[float, ...]
    BYTES: tuple[float, ...]

    def second_terms(self, mechanism: Any, n: int, dictionary_size: int, letters: int) -> list[float]:
        """Return what seconds are proportional to, a term for each of `SECONDS`."""

    def memory_terms(self, mechanism: Any, n: int, dictionary_size: int, letters: int) -> list[float]:
        """Return what memory is proportional to, a term for each of `BYTES`."""

    def split(self, epsilon: Decimal) -> dict[str, Decimal]:
        """Divide the loss of a report among the parameters that are an ε."""

    def suggest(self, losses: Mapping[str, Decimal], wanted: Wanted) -> dict[str, Decimal | int | str]:
        """Return all chosen parameters for these ε; not checked, because what is asked for may not be possible."""


def marked(words: str) -> str:
    """Return a text as it is; imported as ``_``, it lets tools that collect texts for translators find it."""
    return words


class Say(Protocol):
    """Translates a text and fills in its facts: whole numbers with separators, floats as probabilities, texts as is."""

    def __call__(self, words: str, **facts: float | str) -> str: ...


@dataclass(frozen=True)
class ParameterWords:
    """Texts of a form about a parameter.

    `rule` is said where it is broken, or `refusal`, filled in with the error's facts; `more` is what a larger value
    does.
    """

    label: str
    help: str = ""
    rule: str = ""
    more: str = ""
    refusal: str = ""


@runtime_checkable
class WordsPart(Protocol):
    """Module `words`: texts of forms and pages, in English, marked for translation."""

    # As in a sentence, and, behind the name, what the mechanism is for.
    NAME: str
    SUMMARY: str
    # By name; the seed may be among them.
    PARAMETERS: Mapping[str, ParameterWords]
    # Properties that batches are tested for before they count; `%(alarm)s` is the percentage of honest ones that fail.
    TESTS: str
    # Findings of the tests of `screening` that no other mechanism has, by name; filled in with a finding's facts.
    FINDINGS: Mapping[str, str]

    def examples(self, mechanism: Any) -> Sequence[str]:
        """Return elements that may be reported, where not every text may."""

    def fields(self, mechanism: Any, say: Say) -> list[tuple[str, str]]:
        """Return name and meaning of each field of a record line; of one field, the line as a whole."""

    def plan(self, parameters: Mapping[str, str], say: Say) -> list[str]:
        """Return the parameters of a plan, without the ε that was asked for, in lines."""


@runtime_checkable
class DistributionPart(Protocol):
    """Module `distribution`, which a package may lack: the moments of support counts, given the hash functions."""

    def hits(self, mechanism: Any, points: Array, chosen: Places) -> Floats:
        """Return how probably a report about each of D elements is one for each chosen one before noise, shape (T, D).

        `points` are ``mechanism.points`` of all elements; `chosen` are places among them. The same whatever ε.
        """

    def moments(self, mechanism: Any, hit: Floats, counts: Integers) -> tuple[Floats, Floats]:
        """Return mean and variance of S(d) of the T chosen elements, each of shape (T,).

        `hit` is from `hits`; `counts` are the true counts of all elements, shape (D,).
        """


@runtime_checkable
class DrawingPart(DistributionPart, Protocol):
    """Module `distribution` of a mechanism whose support counts can be drawn without a single report."""

    def draw(self, mechanism: Any, points: Array, counts: Integers, rngs: Sequence[Any]) -> Integers:
        """Draw S(d) of P independent populations, shape (P, D) as their true counts.

        In distribution as `privatize_fleet` and `read_out` give it. There is a NumPy generator for each population,
        whose draws do not depend on the others; work that populations share, such as hashing, is done once.
        """

    def draw_seconds(self, mechanism: Any, n: int, dictionary_size: int) -> float:
        """Return about how long drawing a population of n reports takes one core, but for what populations share."""

    def hash_seconds(self, mechanism: Any, dictionary_size: int) -> float:
        """Return about how long one core takes for what populations of one hash family share."""
