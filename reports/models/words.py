"""Decisions about discovered words."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from reports.models.fields import person_who
from reports.models.use_cases import UseCase


class WordDecision(models.Model):
    """Decision about a word. Rows never change: the newest about a word counts, the others are its history.

    A *named dictionary* is the words that are accepted into it, by use case and name; it has a part for each locale.
    """

    class Verdict(models.TextChoices):
        ACCEPTED = "accepted", pgettext_lazy("a word", "accepted")
        REJECTED = "rejected", pgettext_lazy("a word", "rejected")
        TRUNCATED = "truncated", _("truncated")
        FOREIGN = "foreign", _("foreign")
        # A decision taken back.
        UNDECIDED = "undecided", _("undecided")

    class Kind(models.TextChoices):
        """Kinds of new words, after those that Apple found. (A truncated one is no word, by its verdict.)"""

        ABBREVIATION = "abbreviation", _("abbreviation")
        EXPRESSION = "expression", _("expression")
        SEASONAL = "seasonal", _("seasonal")
        # A word of another language that people use in this one, unlike one that is foreign by its verdict.
        BORROWED = "borrowed", _("borrowed")
        OTHER = "other", _("other kind")

    use_case = models.ForeignKey(
        UseCase, verbose_name=_("use case"), on_delete=models.CASCADE, related_name="word_decisions"
    )
    locale = models.CharField(_("locale"), max_length=20)
    word = models.CharField(_("word"), max_length=16, help_text=_("Without pads."))
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict.choices)
    dictionary = models.SlugField(_("dictionary"), max_length=80, blank=True, help_text=_("Of an accepted word."))
    kind = models.CharField(
        _("kind"),
        max_length=12,
        choices=Kind.choices,
        blank=True,
        default="",
        db_default="",
        help_text=_("Of an accepted word."),
    )
    note = models.CharField(_("note"), max_length=500, blank=True)
    decided_by = person_who(_("decided by"))
    decided_at = models.DateTimeField(_("decided"), auto_now_add=True)

    class Meta:
        verbose_name = _("decision about a word")
        verbose_name_plural = _("decisions about words")
        ordering = ["-pk"]
        indexes = [models.Index(fields=["use_case", "locale", "word", "-id"], name="decision_newest")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verdict="accepted") ^ models.Q(dictionary=""), name="decision_dictionary_if_accepted"
            ),
            models.CheckConstraint(
                condition=models.Q(verdict="accepted") | models.Q(kind=""), name="decision_kind_only_if_accepted"
            ),
        ]

    def __str__(self) -> str:
        return _("%(name)s: %(value)s") % {"name": self.word, "value": self.get_verdict_display()}
