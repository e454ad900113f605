"""Dictionaries: the elements a use case counts. Each change makes a revision, over the same reports."""

from collections.abc import Sequence

from django.conf import settings
from django.db import connection, models
from django.utils.translation import gettext_lazy as _

from reports.models.versions import Version


class DictionaryRevision(models.Model):
    version = models.ForeignKey(
        Version, verbose_name=_("version"), on_delete=models.CASCADE, related_name="dictionary_revisions"
    )
    number = models.PositiveIntegerField(_("revision"))
    size = models.PositiveIntegerField(_("elements"))
    digest = models.CharField(_("digest"), max_length=64, help_text=_("SHA-256 of the entries, in order."))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("dictionary revision")
        verbose_name_plural = _("dictionary revisions")
        ordering = ["version", "-number"]
        constraints = [models.UniqueConstraint(fields=["version", "number"], name="revision_number_unique")]

    def __str__(self) -> str:
        return _("%(version)s, dictionary revision %(number)s") % {"version": self.version, "number": self.number}

    def elements(self) -> Sequence[str]:
        """Return the normalised elements in the order in which read-outs store their counts."""
        # Without the ORM, which takes as long as the database does for a quarter of a million of them.
        query = "SELECT element FROM reports_dictionaryentry WHERE revision_id = %s ORDER BY position"
        with connection.cursor() as cursor:
            cursor.execute(query, [self.pk])
            return [element for (element,) in cursor.fetchall()]


class DictionaryEntry(models.Model):
    revision = models.ForeignKey(
        DictionaryRevision, verbose_name=_("revision"), on_delete=models.CASCADE, related_name="entries"
    )
    position = models.PositiveIntegerField(_("position"))
    element = models.TextField(_("element"), help_text=_("Normalised, as devices hash it."))
    display = models.TextField(_("display form"))
    category = models.CharField(_("category"), max_length=80, blank=True)

    class Meta:
        verbose_name = _("dictionary entry")
        verbose_name_plural = _("dictionary entries")
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(fields=["revision", "position"], name="entry_position_unique"),
            models.UniqueConstraint(fields=["revision", "element"], name="entry_element_unique"),
        ]

    def __str__(self) -> str:
        return self.display


class DictionaryDraft(models.Model):
    """Dictionary that was pasted or uploaded and is not confirmed yet: the text as it came, one per person."""

    class Form(models.TextChoices):
        LINES = "lines", _("one element per line")
        CSV = "csv", _("CSV with the columns element, display, category")

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    form = models.CharField(max_length=10, choices=Form.choices)
    text = models.TextField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = _("dictionary draft")
        verbose_name_plural = _("dictionary drafts")
        constraints = [models.UniqueConstraint(fields=["version", "person"], name="dictionary_draft_one_per_person")]

    def __str__(self) -> str:
        return str(self.version)
