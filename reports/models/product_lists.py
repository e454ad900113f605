"""Lists that products read: rules that owners set, and the versions that they approved."""

import datetime
from typing import Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models.use_cases import UseCase
from reports.models.validators import validate_identifier, validate_share

MOST_IN_ORDER = 1000
MOST_WINDOW = 366


class ProductList(models.Model):
    """Rule by which a list is made for a product, such as the order in which a keyboard offers emoji."""

    class Rule(models.TextChoices):
        ORDERED = "ordered", _("the most reported, in order")
        ABOVE = "above", _("all that are certainly above a share")
        WORDS = "words", _("words that were accepted into a dictionary")

    use_case = models.ForeignKey(UseCase, on_delete=models.CASCADE, related_name="product_lists")
    name = models.CharField(max_length=50, validators=[validate_identifier])
    rule = models.CharField(max_length=10, choices=Rule.choices)
    # The length of an ordered list; the share of reports, for one above a share; the named dictionary, for words.
    length = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MOST_IN_ORDER)]
    )
    least_share = models.FloatField(null=True, blank=True, validators=[validate_share])
    dictionary = models.SlugField(max_length=80, blank=True)
    # How many days are counted, up to the newest.
    days = models.PositiveIntegerField(default=28, validators=[MinValueValidator(1), MaxValueValidator(MOST_WINDOW)])
    # Whether devices may read it without a login.
    is_public = models.BooleanField(default=False)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta:
        verbose_name = _("list for a product")
        verbose_name_plural = _("lists for products")
        ordering = ["use_case", "name"]
        constraints = [models.UniqueConstraint(fields=["use_case", "name"], name="product_list_name_unique")]

    def __str__(self) -> str:
        return f"{self.use_case} {self.name}"


class ProductListVersionQuerySet(models.QuerySet["ProductListVersion"]):
    def approved(self) -> Self:
        return self.exclude(approved_at=None)


class ProductListVersion(models.Model):
    """Content of a list, by locale. A proposal is replaced by the next one; what was approved never changes."""

    product_list = models.ForeignKey(ProductList, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    # By locale, `elements`, and the window that they are of: `first_day`, `last_day` and `n`, unless they are words.
    locales = models.JSONField()
    proposed_at = models.DateTimeField(auto_now_add=True)
    approved_at = models.DateTimeField(null=True)
    approved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")

    objects = ProductListVersionQuerySet.as_manager()

    class Meta:
        verbose_name = _("version of a list")
        verbose_name_plural = _("versions of a list")
        ordering = ["product_list", "-number"]
        constraints = [models.UniqueConstraint(fields=["product_list", "number"], name="product_list_version_unique")]

    def __str__(self) -> str:
        return f"{self.product_list} {self.number}"

    @property
    def approved_on(self) -> datetime.date | None:
        return self.approved_at.date() if self.approved_at is not None else None

    @property
    def elements(self) -> dict[str, list[str]]:
        """The elements by locale: all that a product reads of it."""
        return {locale: part["elements"] for locale, part in self.locales.items()}
