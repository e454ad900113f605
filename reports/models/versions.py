"""Versions: how devices privatise, frozen once they do."""

import datetime
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from aggregation.errors import ParameterError
from aggregation.mechanisms import MECHANISMS, Mechanism, mechanism_for
from aggregation.normalization import PROFILES, WORD_LENGTH, normalize
from reports.kinds import kind_of
from reports.models.alphabets import alphabet_problems, without_alphabet
from reports.models.use_cases import UseCase
from reports.models.validators import NO_LOCALE, validate_locales, validate_profile

if TYPE_CHECKING:
    from reports.models.dictionaries import DictionaryRevision

# Stands in for a seed that is left out while the other parameters are checked.
_ANY_SEED = "00" * 16


def without(parameters: Mapping[str, object], names: Collection[str]) -> dict[str, object]:
    """Return parameters but for some."""
    return {name: value for name, value in parameters.items() if name not in names}


class VersionQuerySet(models.QuerySet["Version"]):
    def active(self) -> Self:
        """Filter for versions that devices use now: at most one of each use case."""
        return self.filter(state=Version.State.ACTIVE)

    def frozen(self) -> Self:
        """Leave drafts out, of which there are no reports."""
        return self.exclude(state=Version.State.DRAFT)


class Version(models.Model):
    """Rules under which devices privatise: frozen, because reports made under different rules must never be mixed."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        ACTIVE = "active", _("active")
        SUPERSEDED = "superseded", _("superseded, still accepting")
        CLOSED = "closed", _("closed")

    use_case = models.ForeignKey(UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField(_("version"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.DRAFT)
    algorithm = models.CharField(_("algorithm"), max_length=40)
    parameters = models.JSONField(
        _("wire parameters"), blank=True, help_text=_("Exactly as an upload document must state them.")
    )
    normalization = models.CharField(_("normalisation"), max_length=20, validators=[validate_profile])
    keep_case = models.BooleanField(_("keep case"), default=False)
    alphabet = models.JSONField(_("alphabet"), null=True, blank=True)
    locales = ArrayField(
        models.CharField(max_length=20, blank=True),
        verbose_name=_("locales"),
        validators=[validate_locales],
        error_messages={"blank": NO_LOCALE},
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    accepts_until = models.DateField(_("accepts reports until"), null=True, blank=True)

    objects = VersionQuerySet.as_manager()

    class Meta:
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        ordering = ["use_case", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["use_case", "number"], name="version_number_unique"),
            # Devices name a version by its parameters alone, so two versions must never share them.
            models.UniqueConstraint(fields=["use_case", "algorithm", "parameters"], name="version_parameters_unique"),
            models.UniqueConstraint(
                fields=["use_case"], condition=models.Q(state="active"), name="version_one_active_per_use_case"
            ),
        ]

    def __str__(self) -> str:
        return _("%(use_case)s, version %(number)s") % {"use_case": self.use_case, "number": self.number}

    def clean(self) -> None:
        """Validate fields against each other; bring the parameters, perhaps without a seed, into the form of documents.

        Frozen fields were validated in the draft: only the locales may still change.
        """
        if self.state != self.State.DRAFT:
            self._check_frozen_alphabet()
            return
        problems: dict[str, list[Any]] = {"alphabet": list(alphabet_problems(self))}
        if not kind_of(self).has_dictionary and self.normalization in PROFILES and self.normalization != "word":
            problems["normalization"] = [gettext("It must be word, because words are put together from letters.")]
        try:
            self._clean_parameters()
        except ParameterError as error:
            field = "algorithm" if error.field == "algorithm" else "parameters"
            problems[field] = [ValidationError(str(error), code=error.field)]
        if problems := {name: found for name, found in problems.items() if found}:
            raise ValidationError(problems)

    def _check_frozen_alphabet(self) -> None:
        missing = [] if kind_of(self).has_dictionary else without_alphabet(self)
        if missing:
            words = gettext(
                "Version %(number)d has no alphabet for %(locales)s, and alphabets are frozen; leave that out here, and"
                " make a new version whose alphabet has it."
            )
            raise ValidationError({"locales": words % {"number": self.number, "locales": ", ".join(missing)}})

    def _clean_parameters(self) -> None:
        if not self.algorithm or not isinstance(self.parameters, dict):
            return  # said of the field itself
        given = self.parameters
        seed = {"seed": _ANY_SEED} if self.has_seed else {}
        complete = self.for_dictionary({**seed, **given}, None)
        wire: dict[str, object] = {**mechanism_for(self.algorithm, complete).encoded_parameters()}
        self.parameters = {
            name: value
            for name, value in wire.items()
            if name not in {"seed", *self.dictionary_parameters, *self.dictionary_defaults} - given.keys()
        }
        same = Version.objects.filter(algorithm=self.algorithm, parameters=self.parameters).exclude(pk=self.pk)
        twin = same.filter(use_case=self.use_case_id).first() if self.use_case_id else None
        if twin is not None:
            words = gettext(
                "Version %(number)d (%(state)s) already has these parameters, and devices could not say which of the"
                " two they mean; leave the seed out, or give another one."
            )
            if not self.has_seed:
                words = gettext(
                    "Version %(number)d (%(state)s) already has these parameters, and devices could not say which of"
                    " the two they mean; change one of them."
                )
            raise ParameterError("twin", words % {"number": twin.number, "state": twin.get_state_display()})

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism; of a draft, with stand-ins for what follows from its dictionary."""
        return mechanism_for(self.algorithm, self.for_dictionary(self.parameters, None))

    @property
    def device_mechanism(self) -> Mechanism:
        """The mechanism as devices have it: with the dictionary, where they need one."""
        revision = self.current_dictionary() if self.dictionary_parameters else None
        return self.mechanism if revision is None else self.mechanism_with(revision.elements())

    def mechanism_with(self, elements: Sequence[str]) -> Mechanism:
        """Return the mechanism of this dictionary; raise a ParameterError if it cannot have it."""
        derived = self.for_dictionary(without(self.parameters, self.dictionary_parameters), elements)
        return mechanism_for(self.algorithm, derived).with_dictionary(elements)

    @property
    def dictionary_parameters(self) -> tuple[str, ...]:
        """The parameters that follow from a dictionary, which is then frozen; stand-ins in a draft."""
        return MECHANISMS[self.algorithm].dictionary_parameters if self.algorithm in MECHANISMS else ()

    @property
    def dictionary_defaults(self) -> tuple[str, ...]:
        """The parameters that follow from a dictionary unless they are chosen; a draft has only what is chosen."""
        return MECHANISMS[self.algorithm].dictionary_defaults if self.algorithm in MECHANISMS else ()

    @property
    def counts_other(self) -> bool:
        """Tell whether devices report what is not in the dictionary, as one; false of parameters that are wrong."""
        return isinstance(self.parameters, dict) and self.parameters.get("other") is True

    def for_dictionary(self, parameters: Mapping[str, object], elements: Sequence[str] | None) -> dict[str, object]:
        """Return parameters with those that follow from a dictionary, where they are left out."""
        if self.algorithm not in MECHANISMS:
            return dict(parameters)
        return MECHANISMS[self.algorithm].for_dictionary(parameters, elements)

    @property
    def normalized_as(self) -> tuple[str, bool]:
        """The settings that map texts to elements; if they change, the dictionary changes."""
        return self.normalization, self.keep_case

    @property
    def has_seed(self) -> bool:
        """Tell whether a seed is among its parameters, drawn at random unless it is given."""
        return self.algorithm in MECHANISMS and MECHANISMS[self.algorithm].has_seed

    def alphabet_of(self, locale: str) -> str | None:
        """Return the characters that words may have in a locale; None if any."""
        return self.alphabet.get(locale) if isinstance(self.alphabet, dict) else self.alphabet

    def element(self, text: str, locale: str) -> str | None:
        """Return the element that a device in this locale reports for a text; None if it reports nothing."""
        return normalize(
            self.normalization,
            text,
            keep_case=self.keep_case,
            alphabet=self.alphabet_of(locale),
            length=self.mechanism.element_length or WORD_LENGTH,
        )

    def accepts_reports(self, today: datetime.date) -> bool:
        """Tell whether reports made under this version are accepted on a day.

        The date decides, not only the state: the task that closes versions may run late.
        """
        if self.use_case.state != UseCase.State.RUNNING:
            return False
        if self.state == self.State.ACTIVE:
            return True
        return self.state == self.State.SUPERSEDED and self.accepts_until is not None and today <= self.accepts_until

    @property
    def looked_up(self) -> dict[str, Any] | None:
        """Facts of the version that were looked up, by name, where it is loaded for one page; None elsewhere."""
        return self.__dict__.get("kept_for_page")

    def current_dictionary(self) -> "DictionaryRevision | None":
        known = {} if self.looked_up is None else self.looked_up
        if "dictionary" not in known:
            known["dictionary"] = self.dictionary_revisions.order_by("-number").first()
        found: DictionaryRevision | None = known["dictionary"]
        return found
